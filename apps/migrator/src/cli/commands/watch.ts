import { EXIT } from '../../errors.ts'
import { formatLine, watch } from '../../watch/watch.ts'
import { command, jsonLine } from '../command.ts'
import { CONNECTION_HELP, openReader } from '../inputs.ts'
import { write } from '../io.ts'
import { CONNECTION } from '../options.ts'

const INTERVAL_MS = 500

export const addWatch = command({
  name: 'watch',
  about: 'Follows the upgrade of a running service, of any version, until every token has its accessor.',
  options: ['urls', 'json', ...CONNECTION],
  notes: `Prints progress and servers whenever they change: as text on a terminal, otherwise or with --json as one JSON document per
line. It asks /v1/agent/members and the token API, and only reads. Servers that restart are waited for. Ctrl-C exits with 4: the
upgrade continues without it, and the same command resumes the watch.
${CONNECTION_HELP}`,
  examples: [
    'watch --url http://127.0.0.1:8500 --token-file management.token',
    'watch --url http://s1:8500 http://s2:8500 --json > day.ndjson',
  ],
  run: async ({ urls, json, ...options }, io) => {
    const readers = await Promise.all(urls.map((from) => openReader({ ...options, from }, io)))
    const isText = io.stdout.isTTY === true && !json
    try {
      for await (const line of watch(readers, { intervalMs: INTERVAL_MS, signal: io.signal })) {
        await write(io.stdout, isText ? `${formatLine(line)}\n` : jsonLine(line))
      }
      return EXIT.done
    } catch (error) {
      if (!io.signal.aborted) throw error
      await write(io.stderr, 'interrupted; the upgrade continues, and the same command resumes the watch\n')
      return EXIT.resumable
    }
  },
})
