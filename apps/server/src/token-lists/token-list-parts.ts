/** A list of tokens as JSON text, kept in parts: after a few changes, only the affected parts are rebuilt. */

import { comparePlaces, type TokenListRequest } from '@latchkey/service'
import type { CachedList } from './list-cache.ts'
import { fingerprintOf, readParts } from './read-parts.ts'
import type { ListPart, TokenList } from './token-list.ts'

/** With more changes than this, the whole list is rebuilt. */
const CHANGES_MAX = 64

/** A request, and the maximum length of its list. */
interface Making extends TokenListRequest {
  readonly bytesMax: number
}

/** @returns `undefined` if the list is longer than `bytesMax`. */
export async function makeTokenList(
  request: TokenListRequest,
  { previous, bytesMax }: { readonly previous: TokenList | undefined; readonly bytesMax: number },
): Promise<TokenList | undefined> {
  const { tokensIndex, directoryVersion, filter } = request
  const making = { ...request, bytesMax }
  const parts =
    (previous && (await renewedParts(making, previous))) ??
    (await collectParts(readParts(request, filter), bytesMax))
  return (
    parts && {
      ...joinParts(parts),
      tokensIndex,
      directoryVersion,
      leavesOutExpired: parts.some((part) => part.leavesOutExpired),
    }
  )
}

/** All parts that `parts` yields; `undefined` if they are too long. */
async function collectParts(
  parts: AsyncIterable<ListPart>,
  bytesMax: number,
): Promise<readonly ListPart[] | undefined> {
  const collected: ListPart[] = []
  let length = 0
  for await (const part of parts) {
    collected.push(part)
    length += part.bytes.length + 1
    if (length > bytesMax) return undefined
  }
  return collected
}

/** The parts of a list, rebuilt where they may have changed; `undefined` if that is unknown or most have changed. */
async function renewedParts(
  making: Making,
  { parts, tokensIndex, directoryVersion }: TokenList,
): Promise<readonly ListPart[] | undefined> {
  if (directoryVersion !== making.directoryVersion) return undefined
  const changed = making.store.tokensChangedAfter(tokensIndex)
  if (!changed || changed.length > CHANGES_MAX || parts.some(({ hasNameless }) => hasNameless))
    return undefined
  const isOld = await oldParts(making, parts, changed)
  if (isOld.filter(Boolean).length > parts.length / 2) return undefined
  const renewed: ListPart[] = []
  for (let i = 0; i < parts.length; i += 1) {
    const [part, after] = [parts[i], parts[i - 1]?.end]
    if (part && !isOld[i]) renewed.push(part)
    if (!isOld[i]) continue
    while (isOld[i + 1]) i += 1
    const until = parts[i]?.end
    const range = { ...making.filter, ...(after ? { after } : {}), ...(until ? { until } : {}) }
    const made = await collectParts(readParts(making, range), making.bytesMax)
    if (!made) return undefined
    renewed.push(...made)
  }
  const length = renewed.reduce((sum, { bytes }) => sum + bytes.length + 1, 0)
  return length > making.bytesMax ? undefined : renewed
}

/** Per part: whether one of its tokens has expired, or a changed token was in it or belongs in it now. */
async function oldParts(
  { store, filter, now }: Making,
  parts: readonly ListPart[],
  changed: readonly string[],
): Promise<boolean[]> {
  const isOld = parts.map(({ validUntil }) => now >= validUntil)
  for (const fingerprint of changed.map(fingerprintOf)) {
    for (const [i, { fingerprints }] of parts.entries()) {
      if (fingerprints.includes(fingerprint)) isOld[i] = true
    }
  }
  const direction = filter.newestFirst ? -1 : 1
  const tokens = await Promise.all(changed.map((accessorKey) => store.tokenByAccessor(accessorKey)))
  for (const token of tokens) {
    const place = token && store.placeOf(token)
    if (!place) continue
    isOld[parts.findIndex(({ end }) => !end || direction * comparePlaces(place, end) <= 0)] = true
  }
  return isOld
}

const [OPENING, COMMA, CLOSING] = ['[', ',', ']'].map((sign) => sign.charCodeAt(0)) as [
  number,
  number,
  number,
]

/** An empty part retains no block. */
const NOTHING = new Uint8Array(0)

/** The whole text. The parts become views of it, so that nothing is stored twice. */
function joinParts(parts: readonly ListPart[]): CachedList & Pick<TokenList, 'parts'> {
  const shown = parts.filter(({ bytes }) => bytes.length > 0).length
  const whole = new Uint8Array(parts.reduce((sum, { bytes }) => sum + bytes.length, 1 + Math.max(shown, 1)))
  whole[0] = OPENING
  let at = 1
  let validUntil = Number.POSITIVE_INFINITY
  const views = parts.map((part) => {
    validUntil = Math.min(validUntil, part.validUntil)
    if (part.bytes.length === 0) return { ...part, bytes: NOTHING }
    if (at > 1) {
      whole[at] = COMMA
      at += 1
    }
    whole.set(part.bytes, at)
    const bytes = whole.subarray(at, at + part.bytes.length)
    at += bytes.length
    return { ...part, bytes }
  })
  whole[at] = CLOSING
  return { bytes: whole, validUntil, parts: views }
}
