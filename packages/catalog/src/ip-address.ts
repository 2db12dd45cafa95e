/** Normalizes IP addresses for comparison. */

const OCTET = /^(?:0|[1-9]\d{0,2})$/
const GROUP = /^[0-9a-f]{1,4}$/i
const GROUPS = 8
const MAPPED = '0:0:0:0:0:ffff:'

/**
 * One notation for each address: `10.0.0.1`, or eight groups such as `fe80:0:0:0:0:0:0:1`. An IPv4 address
 * within IPv6 (`::ffff:10.0.0.1`) is that IPv4 address. @returns undefined for a text that is not an IP
 * address. Zones and leading zeros in decimal numbers are refused.
 */
export function canonicalIp(text: string): string | undefined {
  if (!text.includes(':')) return octetsOf(text)?.join('.')
  const groups = groupsOf(text)
  if (!groups) return undefined
  const canonical = groups.map((group) => group.toString(16)).join(':')
  if (!canonical.startsWith(MAPPED)) return canonical
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

export function isIpv4(canonical: string): boolean {
  return !canonical.includes(':')
}

function octetsOf(text: string): readonly number[] | undefined {
  const parts = text.split('.')
  const isAddress = parts.length === 4 && parts.every((part) => OCTET.test(part) && Number(part) <= 255)
  return isAddress ? parts.map(Number) : undefined
}

function groupsOf(text: string): readonly number[] | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map((half, i) => readGroups(half, i === halves.length - 1))
  if (!head) return undefined
  if (halves.length === 1) return head.length === GROUPS ? head : undefined
  if (!tail || head.length + tail.length >= GROUPS) return undefined
  return [...head, ...new Array<number>(GROUPS - head.length - tail.length).fill(0), ...tail]
}

/** @param isLast the last group may be an IPv4 address. */
function readGroups(text: string, isLast: boolean): readonly number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [i, part] of parts.entries()) {
    const octets = isLast && i === parts.length - 1 && part.includes('.') ? octetsOf(part) : undefined
    if (octets) {
      const [a = 0, b = 0, c = 0, d = 0] = octets
      groups.push(a * 256 + b, c * 256 + d)
    } else if (GROUP.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}
