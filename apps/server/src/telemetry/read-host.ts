/** Facts about the machine, for `GET /v1/agent/host`. */
import { cpus, freemem, hostname, platform, release, totalmem, type, uptime } from 'node:os'
import type { AgentHost } from '@latchkey/contract'

const NS_PER_MS = 1_000_000

export function readHost(): AgentHost {
  const [total, available] = [totalmem(), freemem()]
  return {
    Memory: { total, available, used: total - available },
    CPU: cpus().map(({ model, speed }, cpu) => ({ cpu, modelName: model, mhz: speed })),
    Host: {
      hostname: hostname(),
      os: type(),
      platform: platform(),
      kernelVersion: release(),
      uptime: uptime(),
    },
    Disk: null,
    CollectionTime: Date.now() * NS_PER_MS,
    Errors: null,
  }
}
