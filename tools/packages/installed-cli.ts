/** The package of the command line as a person installs it: from its tarball, without the repository. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectOutput, run, step } from './run.ts'
import { packCli } from './tarball.ts'

/** The time that help may take on an idle machine. Printed, not enforced: the machine that checks is busy. */
const HELP_MS_MAX = 200
const HELP_RUNS = 5

interface InstalledCli {
  /** Runs a command line, and returns its output. */
  latchkey(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>
}

/**
 * @param directory a new folder outside the workspace.
 * @param node the oldest supported version of Node.
 */
export async function installCli(directory: string, node: string): Promise<InstalledCli> {
  mkdirSync(directory)
  const tarball = await step('command line: build and pack', () => packCli(directory))
  const options = ['--no-audit', '--no-fund', '--prefer-offline']
  await step('command line: npm install --global, into an empty root', () =>
    run('npm', ['install', '--global', '--prefix', directory, ...options, tarball], directory),
  )
  const manifest = readFileSync(join(directory, 'lib/node_modules/@latchkey/cli/package.json'), 'utf8')
  if (JSON.parse(manifest).dependencies !== undefined) throw new Error('@latchkey/cli has dependencies')
  const latchkey: InstalledCli['latchkey'] = (args, env = {}) =>
    run(node, [join(directory, 'bin/latchkey'), ...args], directory, {
      ...env,
      LATCHKEY_CONTEXT_FILE: join(directory, 'contexts.json'),
    })
  await timeHelp(latchkey)
  return { latchkey }
}

async function timeHelp(latchkey: InstalledCli['latchkey']): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < HELP_RUNS; i += 1) {
    const startedAt = performance.now()
    const help = await latchkey(['--help'])
    times.push(performance.now() - startedAt)
    if (!help.startsWith('Usage: latchkey')) throw new Error(`help begins with ${help.slice(0, 80)}`)
  }
  console.log(
    `  latchkey --help: ${Math.min(...times).toFixed(0)} ms (at most ${HELP_MS_MAX} on an idle machine)`,
  )
}

/** Works on a server: writes and reads a policy, and formats rules without one. */
export async function checkCli(
  { latchkey }: InstalledCli,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await step('Node 22, the installed command line against a server', async () => {
    await latchkey(['policy', 'create', 'cli', '--rule', 'acl = "read"'], env)
    const policy = await latchkey(['policy', 'read', 'cli', '--output', 'json'], env)
    expectOutput('acl = "read"', JSON.parse(policy).Rules)
  })
}
