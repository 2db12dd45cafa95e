import { join } from 'node:path'
import type { DumpRecord } from '@latchkey/acl'
import { shellQuote } from '../../convert/files/commands.ts'
import { withoutSecrets } from '../../dump/hidden-id.ts'
import { EXIT } from '../../errors.ts'
import { type ScanResult, scanDocument } from '../../output/scan-document.ts'
import { type HttpReader, isRefusal } from '../../scan/http-reader.ts'
import type { Scanned } from '../../scan/read-cluster.ts'
import { oldestVersion, readCluster } from '../../scan/read-cluster.ts'
import { readTokens } from '../../scan/read-tokens.ts'
import { scenarioOf } from '../../scan/scenario-of.ts'
import { command, writeAnswer } from '../command.ts'
import { CONNECTION_HELP, countScanned, openReader } from '../inputs.ts'
import { type Io, write } from '../io.ts'
import { CONNECTION } from '../options.ts'
import { makeOutputDirectory, OutputFile, writeOutputFile } from '../output-file.ts'

const SCENARIO_FILE = 'scenario.yaml'
const DUMP_FILE = 'tokens.ndjson'

export const addScan = command({
  name: 'scan',
  about:
    'Reads versions, servers, leaders, datacenters, modes, replication and tokens from a running service.',
  options: ['from', 'save', 'json', ...CONNECTION],
  notes: `Only sends GET requests. A part that the token or the version does not allow to read is reported, and the others are read.
Exits with 1 if a token was not read, or not completely: its record says why, and no command takes it for a token without rights.
No output holds a secret: the saved dump has hashes instead of the IDs of legacy tokens.

${CONNECTION_HELP}`,
  examples: [
    'scan --from http://127.0.0.1:8500 --token-file management-token',
    'scan --from https://10.0.0.1:8501 --ca-file ca.pem --save cluster/',
    `simulate cluster/${SCENARIO_FILE} --dump cluster/${DUMP_FILE}`,
  ],
  run: async (options, io) => {
    const { isWhole, ...json } = await scan(await openReader(options, io), options.save, io)
    const code = await writeAnswer({ document: scanDocument(json), json }, options, io)
    if (options.save !== undefined) await write(io.stderr, savedText(options.save, json))
    return isWhole ? code : EXIT.failed
  },
})

interface TokenScan extends Pick<ScanResult, 'tokens' | 'unread'> {
  /** Whether every token was read, with its rules. */
  readonly isWhole: boolean
}

async function scan(reader: HttpReader, save: string | undefined, io: Io): Promise<TokenScan & Scanned> {
  const scanned = await readCluster(reader)
  if (save === undefined) return { ...scanned, ...(await countTokens(reader, scanned, io)) }
  makeOutputDirectory(save)
  // Only its owner may read a list of tokens.
  const dump = new OutputFile(join(save, DUMP_FILE), 0o600)
  try {
    const counted = await countTokens(reader, scanned, io, (group) =>
      dump.write(group.map(({ value }) => `${JSON.stringify(withoutSecrets(value))}\n`).join('')),
    )
    if (counted.tokens === null) dump.discard()
    else dump.close()
    writeOutputFile(join(save, SCENARIO_FILE), scenarioOf(scanned))
    return { ...scanned, ...counted }
  } catch (error) {
    dump.discard()
    throw error
  }
}

/** Counts the tokens. If a list cannot be read, the scan continues. @param each called with the records as they arrive. */
async function countTokens(
  reader: HttpReader,
  scanned: Scanned,
  io: Io,
  each?: (group: readonly DumpRecord[]) => void,
): Promise<TokenScan> {
  const records = readTokens(reader, oldestVersion(scanned))
  try {
    const { census, end } = await countScanned(records, { widening: 'keep', placesMax: 0 }, io, each)
    const tokens = census.counts()
    return { tokens, unread: [...scanned.unread, ...end], isWhole: tokens.refused === 0 }
  } catch (error) {
    if (!isRefusal(error)) throw error
    const { path, message: why } = error
    return { tokens: null, unread: [...scanned.unread, { what: 'the tokens', path, why }], isWhole: false }
  }
}

function savedText(folder: string, { tokens }: ScanResult): string {
  const scenario = shellQuote(join(folder, SCENARIO_FILE))
  const dump = tokens === null ? '' : ` --dump ${shellQuote(join(folder, DUMP_FILE))}`
  return `saved; next: latchkey-migrator simulate ${scenario}${dump}\n`
}
