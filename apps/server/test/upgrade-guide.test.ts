/** Runs the commands of docs/upgrade.md as an operator types them, and compares the answers that the page shows. */

import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from '@latchkey/testkit/process/ports'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
/** Ports on the page, each replaced by a free one. */
const PORTS = ['8501', '8502', '8503'] as const
/** Separates the answers of two commands. */
const SEPARATOR = '\u001e'

/** A block of commands, and the answer that the page shows; empty if it shows none. */
interface Step {
  readonly commands: string
  readonly shown: string
}

function stepsOf(page: string): readonly Step[] {
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  return blocks.flatMap(([, kind, text = ''], i) => {
    const [, next, shown = ''] = blocks[i + 1] ?? []
    return kind === 'sh' ? [{ commands: text, shown: next === 'sh' ? '' : shown }] : []
  })
}

const hasTools = ['jq', 'curl'].every((tool) => spawnSync(tool, ['--version']).status === 0)

test.skipIf(!hasTools)(
  'every command of the page works, and answers what the page shows',
  async () => {
    const ports = await freePorts(PORTS.length)
    const real = (text: string) =>
      PORTS.reduce((changed, port, i) => changed.replaceAll(port, String(ports[i])), text).replaceAll(
        '/path/to/latchkey',
        ROOT,
      )
    const steps = stepsOf(readFileSync(join(ROOT, 'docs/upgrade.md'), 'utf8'))
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-guide-'))
    // Leaves no server behind, whatever happens. Jobs are functions; a signal to a job does not reach its servers.
    const cleanUp = `trap 'trap "" TERM; kill -TERM 0; wait' EXIT\n`
    const script = steps.map(({ commands }) => `${real(commands)}\nprintf '${SEPARATOR}'\n`).join('')
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(LATCHKEY_|DATABASE_URL|TEST_DATABASE)/.test(name),
    )
    const env = { ...Object.fromEntries(inherited), PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
    try {
      const { stdout, stderr } = await promisify(execFile)(
        'setsid',
        // If standard input is a socket, bash may behave like a remote shell and read start-up files.
        ['--wait', 'bash', '--norc', '-euo', 'pipefail', '-c', cleanUp + script],
        { cwd: folder, env, timeout: 1_100_000 },
      )
      const answers = stdout.split(SEPARATOR)
      const refusals = stderr.trim().split('\n')
      for (const [i, { commands, shown }] of steps.entries()) {
        const answer = answers[i]?.trim() || (commands.endsWith('|| true\n') ? refusals.shift() : '')
        expect(answer, commands).toMatch(patternOf(real(shown)))
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  1_200_000,
)

/** The output on the page, with `…` for parts that differ each time. */
function patternOf(shown: string): RegExp {
  const parts = shown.trim().split('…')
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[\\s\\S]*')}$`)
}
