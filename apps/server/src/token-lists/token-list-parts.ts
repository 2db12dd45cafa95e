/**
 * A list of tokens as JSON text, kept in parts: after a few changes, only the parts concerned are rebuilt.
 */

import type { TokenRecord } from '@latchkey/acl'
import { comparePlaces, type ListPosition, type TokenFilter, type TokenListRequest } from '@latchkey/service'
import type { CachedList } from './list-cache.ts'
import type { ListPart, TokenList } from './token-list.ts'

/**
 * Tokens per part: few, because one change rebuilds all of them; not fewer, because each part costs a few hundred
 * bytes.
 */
const PART_TOKENS = 128
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
  const { filter, tokensIndex, directoryVersion } = request
  const making = { ...request, bytesMax }
  const parts = (previous && (await renewedParts(making, previous))) ?? (await readParts(making, filter))
  return (
    parts && {
      ...joinParts(parts),
      tokensIndex,
      directoryVersion,
      leavesOutExpired: parts.some((part) => part.leavesOutExpired),
    }
  )
}

/** The parts of a range of the list, the last of which ends with the range; `undefined` if they are too long. */
async function readParts(making: Making, filter: TokenFilter): Promise<readonly ListPart[] | undefined> {
  const parts: ListPart[] = []
  const encode = encoderInBlocks()
  let length = 0
  let tokensLeft: readonly TokenRecord[] = []
  const take = (tokens: readonly TokenRecord[], isEnd: boolean) => {
    const { text, validUntil, leavesOutExpired } = making.show(tokens)
    const bytes = encode(text)
    parts.push({
      end: isEnd ? filter.until : endOf(making, tokens),
      bytes,
      validUntil,
      leavesOutExpired,
      fingerprints: Uint32Array.from(tokens, ({ AccessorID }) => fingerprintOf(AccessorID.toLowerCase())),
      hasNameless: tokens.some(({ AccessorID }) => AccessorID === ''),
    })
    length += bytes.length + 1
  }
  for await (const page of making.store.tokens(filter)) {
    const tokens = tokensLeft.length === 0 ? page : [...tokensLeft, ...page]
    let start = 0
    // The last part waits for the next page: it may be the last of the list.
    for (; tokens.length - start > PART_TOKENS; start += PART_TOKENS) {
      take(tokens.slice(start, start + PART_TOKENS), false)
    }
    tokensLeft = tokens.slice(start)
    if (length > making.bytesMax) return undefined
  }
  if (tokensLeft.length > 0 || filter.until === undefined) take(tokensLeft, true)
  return length > making.bytesMax ? undefined : parts
}

function endOf({ store }: Making, tokens: readonly TokenRecord[]): ListPosition | undefined {
  const last = tokens.at(-1)
  return last && store.placeOf(last)
}

/** The parts of a list, with those rebuilt that may have changed; `undefined` if that is unknown, or most have. */
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
    const made = await readParts(making, {
      ...making.filter,
      ...(after ? { after } : {}),
      ...(until ? { until } : {}),
    })
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

/** FNV-1a in 32 bits. A collision of two accessors only rebuilds a part that did not change. */
function fingerprintOf(accessorKey: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < accessorKey.length; i += 1) {
    hash = Math.imul(hash ^ accessorKey.charCodeAt(i), 0x01000193)
  }
  return hash >>> 0
}

const encoder = new TextEncoder()
const BLOCK_BYTES = 262_144
/** Most bytes of UTF-8 for one unit of UTF-16. */
const UNIT_BYTES_MAX = 3

/** Encodes texts into large blocks: thousands of small pieces would fragment the heap. */
function encoderInBlocks(): (text: string) => Uint8Array {
  let block = new Uint8Array(0)
  return (text) => {
    const bytesMax = text.length * UNIT_BYTES_MAX
    if (block.length < bytesMax) block = new Uint8Array(Math.max(BLOCK_BYTES, bytesMax))
    const { written } = encoder.encodeInto(text, block)
    const bytes = block.subarray(0, written)
    block = block.subarray(written)
    return bytes
  }
}

const [OPENING, COMMA, CLOSING] = ['[', ',', ']'].map((sign) => sign.charCodeAt(0)) as [
  number,
  number,
  number,
]

/** An empty part holds no block. */
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
