/** `policy edit`: the rules of a policy in the person's editor, checked before they are written. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lintRules } from '@latchkey/acl'
import { NotFound } from '@latchkey/sdk'
import { CliError, EXIT } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'
import type { Session } from '../frame/session.ts'
import { confirmRules } from '../insight/confirm-rules.ts'
import { renderFindings } from '../insight/rule-files.ts'
import { isId } from './find.ts'

const NEW_POLICY = `# Rules of the new policy. Uncomment what you need; lines with # are kept as comments.
#
# key_prefix "orders/" {
#   policy = "read"
# }
# service "web" {
#   policy = "write"
# }
`

export const editPolicy: Action = async (session, input) => {
  const name = input.arg(0)
  const { policies } = await session.client()
  const found = isId(name) ? policies.read(name) : policies.readByName(name)
  const existing = await found.catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error
  })
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-'))
  try {
    const before = existing?.Rules ?? NEW_POLICY
    // Not named after the policy: a server could choose a name that is a path.
    const rules = await editUntilValid(join(folder, 'policy.hcl'), before, session)
    if (rules === before) return session.note('Nothing was changed.')
    if (existing === undefined) {
      await policies.create({ Name: name, Rules: rules })
      return session.note(`Created policy ${name}.`)
    }
    await confirmRules(existing, rules, session)
    const { ID, Name, Description, Datacenters, Namespace } = existing
    const more = { ...(Datacenters && { Datacenters }), ...(Namespace !== undefined && { Namespace }) }
    await policies.update(ID, { Name, Description, ...more, Rules: rules })
    return session.note(`Updated policy ${existing.Name}.`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Opens the editor, and reopens it while the text is invalid and the person wants to continue. */
async function editUntilValid(file: string, rules: string, session: Session): Promise<string> {
  writeFileSync(file, rules, { mode: 0o600 })
  for (;;) {
    await openEditor(file, session)
    const edited = readFileSync(file, 'utf8')
    const findings = lintRules(edited)
    await session.note(renderFindings(file, findings, edited, session.paint).trimEnd() || 'No findings.')
    if (!findings.some(({ severity }) => severity === 'error')) return edited
    if (!session.isInteractive) throw new CliError('the rules have faults', { exitCode: EXIT.invalid })
    await session.confirm('A policy with these rules is refused. Edit them again?')
  }
}

async function openEditor(file: string, { io, isInteractive }: Session): Promise<void> {
  const chosen = io.env.VISUAL || io.env.EDITOR
  // A configured editor may be a script. Without a terminal, vi would wait for input forever.
  if (!chosen && !isInteractive) {
    throw new CliError('there is no terminal for an editor: nothing was changed', {
      hints: ['From a file: latchkey policy update POLICY --rules FILE'],
    })
  }
  const editor = chosen || 'vi'
  // Uses a shell, because the variable may contain options, such as `code --wait`.
  const child = spawn('sh', ['-c', `${editor} "$1"`, editor, file], { stdio: 'inherit' })
  const [exitCode] = await once(child, 'exit')
  if (exitCode !== 0) throw new CliError(`the editor ${editor} ended with ${exitCode}: nothing was changed`)
}
