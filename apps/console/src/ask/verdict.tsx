import { adviceFor } from '@latchkey/acl'
import type { AuthorizeAnswer, Explanation } from '@latchkey/sdk'
import { Link } from '@tanstack/react-router'
import { ArrowRight, CircleCheck, CircleSlash } from 'lucide-react'
import { texts } from '../texts.ts'
import { useTokenFeed } from '../tokens/list/use-token-feed.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import type { Question } from './question.ts'

interface VerdictProps {
  readonly question: Question
  readonly answer: AuthorizeAnswer
}

/** Yes or no, the rule that decided, where the token gets it from, and what is missing. */
export function Verdict({ question, answer }: VerdictProps) {
  const { Allow, Explanation: why } = answer
  const Icon = Allow ? CircleCheck : CircleSlash
  const { token: _token, ...right } = question
  return (
    <section className="card verdict" data-allow={Allow} aria-label={texts.ask.answer}>
      <div className="verdict-head" role="status">
        <Icon aria-hidden />
        <div>
          <h2>{Allow ? texts.ask.may.allowed : texts.ask.may.denied}</h2>
          <p className="secondary">
            <Subject token={question.token} /> {Allow ? texts.ask.may.may : texts.ask.may.mayNot}{' '}
            {texts.ask.accesses[question.access].toLowerCase()} {texts.ask.things[question.kind]}
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
          {texts.ask.may.whoElse}
          <ArrowRight aria-hidden />
        </Link>
      </div>
    </section>
  )
}

function Subject({ token }: { readonly token: string | undefined }) {
  return token === undefined ? texts.ask.may.you : <TokenLink accessorId={token} />
}

function TokenLink({ accessorId }: { readonly accessorId: string }) {
  const { rows } = useTokenFeed()
  const found = rows.find(({ AccessorID }) => AccessorID === accessorId)
  return (
    <Link to="/tokens/$accessorId" params={{ accessorId }} preload={false}>
      {found?.Description || accessorId}
    </Link>
  )
}

function Reason({ answer, why }: { readonly answer: AuthorizeAnswer; readonly why: Explanation }) {
  const { Rule: rule, Path: path, Missing: missing } = why
  return (
    <dl className="reason">
      <div>
        <dt>{texts.ask.may.decidedBy}</dt>
        <dd>
          {rule ? (
            <>
              <pre className="rule">{ruleText(rule)}</pre>
              {rule.PolicyID !== '' && (
                <p className="small secondary">
                  {texts.ask.may.line(rule.Line)}{' '}
                  <Link to="/policies/$id" params={{ id: rule.PolicyID }} preload={false}>
                    {rule.PolicyName}
                  </Link>
                </p>
              )}
            </>
          ) : (
            <p>{answer.Allow ? texts.ask.may.defaultAllow : texts.ask.may.defaultDeny}</p>
          )}
        </dd>
      </div>
      {path.length > 0 && (
        <div>
          <dt>{texts.ask.may.path}</dt>
          <dd>
            <ol className="path">
              <li>{texts.ask.may.theToken}</li>
              {path.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </dd>
        </div>
      )}
      {missing && <Missing answer={answer} missing={missing} />}
    </dl>
  )
}

interface MissingProps {
  readonly answer: AuthorizeAnswer
  readonly missing: NonNullable<Explanation['Missing']>
}

/** The missing right, and what would grant it. */
function Missing({ answer, missing }: MissingProps) {
  const advice = adviceFor(answer)
  const isAdded = advice !== undefined && 'add' in advice
  const rule = isAdded ? advice.add : advice?.change
  return (
    <>
      <div>
        <dt>{texts.ask.may.missing}</dt>
        <dd>
          <code>
            {missing.Resource}:{missing.Access}
          </code>
          {missing.Segment !== undefined && (
            <>
              {' '}
              {texts.ask.may.on} <code>{missing.Segment}</code>
            </>
          )}
        </dd>
      </div>
      {rule !== undefined && (
        <div>
          <dt>{isAdded ? texts.ask.may.fix : texts.ask.may.change}</dt>
          <dd>
            <div className="row">
              <pre className="rule">{rule}</pre>
              <CopyButton label={texts.ask.may.copyRule} text={() => `${rule}\n`} />
            </div>
            <p className="small secondary">{isAdded ? texts.ask.may.fixHow : texts.ask.may.changeHow}</p>
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
