// A consumer: the part of the contract without libraries.
import { buildPath, ENDPOINTS } from '@latchkey/contract/plain'

console.log(ENDPOINTS['tokens.read'].method, buildPath('kv.read', { Key: 'web/port' }))
