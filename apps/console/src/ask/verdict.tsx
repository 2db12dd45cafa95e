import { adviceFor } from '@latchkey/acl'
import type { AuthorizeAnswer, Explanation } from '@latchkey/sdk'
import { Link } from '@tanstack/react-router'
import { ArrowRight, CircleCheck, CircleSlash } from 'lucide-react'
import { useTokenFeed } from '../tokens/list/token-feed.ts'
import { TokenLink } from '../tokens/token-cell.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { ACCESS_NAMES, type Question, resourceOf } from './question.ts'

/** Yes or no, the rule that decided, where the token gets it from, and what is missing. */
export function Verdict(props: { readonly question: Question; readonly answer: AuthorizeAnswer }) {
  const { question, answer } = props
  const { Allow, Explanation: why } = answer
  const Icon = Allow ? CircleCheck : CircleSlash
  const { token: _token, ...right } = question
  return (
    <section className="card verdict" data-allow={Allow} aria-label="Answer">
      <div className="verdict-head" role="status">
        <Icon aria-hidden />
        <div>
          <h2>{Allow ? 'Yes' : 'No'}</h2>
          <p className="secondary">
            {question.token === undefined ? 'Your token' : <TokenName accessorId={question.token} />}{' '}
            {Allow ? 'may' : 'may not'} {ACCESS_NAMES[question.access].toLowerCase()}{' '}
            {resourceOf(question.kind).thing}
            {question.segment !== undefined && (
              <>
                {' '}
                <code>{question.segment}</code>
              </>
            )}
            .
          </p>
        </div>
      </div>
      {why && <Reason answer={answer} why={why} />}
      <div className="verdict-foot">
        <Link to="/ask/who" search={right} className="link-more">
          Who may do this?
          <ArrowRight aria-hidden />
        </Link>
      </div>
    </section>
  )
}

function TokenName({ accessorId }: { readonly accessorId: string }) {
  const { rows } = useTokenFeed()
  const found = rows.find(({ AccessorID }) => AccessorID === accessorId)
  return <TokenLink id={accessorId}>{found?.Description || accessorId}</TokenLink>
}

function Reason({ answer, why }: { readonly answer: AuthorizeAnswer; readonly why: Explanation }) {
  const { Rule: rule, Path: path } = why
  return (
    <dl className="reason">
      <div>
        <dt>Decided by</dt>
        <dd>
          {rule ? (
            <>
              <pre className="rule">{ruleText(rule)}</pre>
              {rule.PolicyID !== '' && (
                <p className="small secondary">
                  Line {rule.Line} of policy{' '}
                  <Link to="/policies/$id" params={{ id: rule.PolicyID }} preload={false}>
                    {rule.PolicyName}
                  </Link>
                </p>
              )}
            </>
          ) : (
            <p>
              {answer.Allow
                ? 'No rule applies, and this server allows everything that no rule denies.'
                : 'No rule applies, and this server denies everything that no rule allows.'}
            </p>
          )}
        </dd>
      </div>
      {path.length > 0 && (
        <div>
          <dt>How the token gets it</dt>
          <dd>
            <ol className="path">
              <li>the token</li>
              {path.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </dd>
        </div>
      )}
      <Missing answer={answer} />
    </dl>
  )
}

function Missing({ answer }: { readonly answer: AuthorizeAnswer }) {
  const missing = answer.Explanation?.Missing
  if (missing === undefined) return null
  const advice = adviceFor(answer)
  const isAdded = advice !== undefined && 'add' in advice
  const rule = isAdded ? advice.add : advice?.change
  return (
    <>
      <div>
        <dt>Missing right</dt>
        <dd>
          <code>
            {missing.Resource}:{missing.Access}
          </code>
          {missing.Segment !== undefined && (
            <>
              {' '}
              on <code>{missing.Segment}</code>
            </>
          )}
        </dd>
      </div>
      {rule !== undefined && (
        <div>
          <dt>{isAdded ? 'A rule that allows it' : 'A change that allows it'}</dt>
          <dd>
            <div className="row">
              <pre className="rule">{rule}</pre>
              <CopyButton label="Copy rule" text={() => `${rule}\n`} />
            </div>
            <p className="small secondary">
              {isAdded
                ? 'Add it to a policy of the token, or to a new policy.'
                : 'Change the rule that denies it. A rule beside it would have no effect, or be refused.'}
            </p>
          </dd>
        </div>
      )}
    </>
  )
}

function ruleText({ Kind, Segment, Level }: NonNullable<Explanation['Rule']>): string {
  const isScalar = Segment === '' && !Kind.endsWith('_prefix')
  return isScalar ? `${Kind} = "${Level}"` : `${Kind} ${JSON.stringify(Segment)} { policy = "${Level}" }`
}
