/**
 * A process to kill: runs an embedded PostgreSQL in the directory given as argument, and prints one line of JSON
 * (`{ url, pid }` of the database) when it is ready.
 */
import { pino } from 'pino'
import { startEmbeddedPostgres } from '../src/database/embedded-postgres.ts'

const [dataDir] = process.argv.slice(2)
if (dataDir === undefined) throw new TypeError('usage: node run-embedded-postgres.ts <data directory>')
const database = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) })
console.log(JSON.stringify({ url: database.url, pid: database.pid }))
