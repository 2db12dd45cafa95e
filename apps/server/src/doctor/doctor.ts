/** `latchkey-server doctor`: checks what a server needs, and prints what to do. It changes nothing. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { print } from '../cli/print.ts'
import { type Config, ConfigError, loadConfig } from '../config/config.ts'
import { SETTINGS } from '../config/settings.ts'
import { shareOf } from '../config/workers.ts'
import { loadKeyFile } from '../secrets/encryption-keys.ts'
import { createKeyRing, type KeyRing } from '../secrets/key-ring.ts'
import { StartError } from '../start-error.ts'
import { checkCertificates, checkListener } from './certificates.ts'
import { checkDatabase } from './database.ts'
import { type Finding, fail, ok, showFinding, warn } from './finding.ts'
import { checkDisk, checkFiles } from './machine.ts'

type Environment = Readonly<Record<string, string | undefined>>

const EXIT_FAILED = 1

/** @returns the exit code: 0 if nothing failed, though there may be warnings; 1 otherwise. */
export async function runDoctor(env: Environment): Promise<number> {
  const findings = await examine(env)
  for (const finding of findings) print(showFinding(finding))
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length
  const [failed, warned] = [count('fail'), count('warn')]
  print(`\n${failed} failed, ${warned} with warnings, ${count('ok')} passed.\n`)
  return failed === 0 ? 0 : EXIT_FAILED
}

export async function examine(env: Environment): Promise<readonly Finding[]> {
  let config: Config
  try {
    config = loadConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [fail('settings', error.message, 'Correct the settings; the README lists all of them.')]
  }
  const keys = await readKeys(config)
  return [
    ok('settings', 'valid'),
    checkDisk(config.dataDir),
    ...checkFiles(),
    ...checkCertificates(certificatesOf(config), Date.now()),
    ...(await checkListener(config)),
    ...('what' in keys ? [keys] : []),
    ...(await checkStore(config, 'what' in keys ? undefined : keys)),
  ]
}

async function checkStore(config: Config, ring: KeyRing | undefined): Promise<readonly Finding[]> {
  const { databaseUrl: url, workers } = config
  const { databaseConnections: connections } = shareOf(config)
  if (url !== undefined) return checkDatabase({ url, ring, connections, workers })
  const folder = join(resolve(config.dataDir), 'postgres')
  const state = existsSync(folder) ? `in ${folder}` : 'not created yet'
  const todo =
    'To check it, run `latchkey-server postgres`, and the doctor with the DATABASE_URL that it prints.'
  return [warn('database', `embedded, ${state}`, todo)]
}

/** The keys as a server finds them. Creates none. */
async function readKeys(config: Config): Promise<KeyRing | Finding> {
  if (config.encryptionKeys !== undefined) return createKeyRing(config.encryptionKeys)
  const file = join(resolve(config.dataDir), 'encryption.keys')
  if (!existsSync(file)) {
    return warn(
      'keys',
      `there is no ${file}`,
      'The first start creates it. Servers on one database need the same LATCHKEY_ENCRYPTION_KEYS.',
    )
  }
  try {
    return createKeyRing(await loadKeyFile(config.dataDir))
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return fail('keys', error.message, 'Restore the file from your copy of it.')
  }
}

/** Every setting that names a file with a certificate. */
function certificatesOf(config: Config): Readonly<Record<string, string>> {
  const named = Object.entries(SETTINGS).flatMap(([name, { env }]) => {
    const path = config[name as keyof Config]
    return /(?:_CERT|_CA)$/.test(env) && typeof path === 'string' ? [[env, path] as const] : []
  })
  return Object.fromEntries(named)
}
