/**
 * The control: a trivial server in its own process, which is not under attack. Its latency is the share of the probe's
 * latencies that the machine causes, because attackers, providers, database and probe all compete for its cores.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((_, response) => response.end())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit())
