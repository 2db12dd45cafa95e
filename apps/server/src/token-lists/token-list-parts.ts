/** A list of tokens as JSON text, kept in parts: after a few changes, only the affected parts are rebuilt. */

import type { TokenRecord } from '@latchkey/acl'
import { ownText } from '@latchkey/contract'
import {
  comparePlaces,
  type ListPosition,
  type TokenFilter,
  type TokenListRequest,
  type WholeTokenList,
} from '@latchkey/service'

export interface CachedList {
  readonly bytes: Uint8Array
  /** Milliseconds since the epoch; Infinity if no token of the list expires. */
  readonly validUntil: number
}

export interface ListPart {
  /** The position of its last token; undefined: the part covers the rest of the list. */
  readonly end: ListPosition | undefined
  /** Its elements without brackets; empty if it has no tokens, or all of them are expired. */
  readonly bytes: Uint8Array
  /** Milliseconds since the epoch; Infinity if none of its tokens expires. */
  readonly validUntil: number
  /** The accessors of its tokens, hashed to 32 bits. */
  readonly fingerprints: Uint32Array
  /** Whether it has expired tokens, which are not shown. */
  readonly leavesOutExpired: boolean
  /** Whether it has a token without an accessor, whose changes cannot be tracked. */
  readonly hasNameless: boolean
}

export interface TokenList extends CachedList, WholeTokenList {
  readonly tokensIndex: number
  readonly directoryVersion: number
  readonly parts: readonly ListPart[]
}

/**
 * Tokens per part: few, because one change rebuilds the whole part; not fewer, because each part costs a few hundred
 * bytes.
 */
const PART_TOKENS = 128
/** Up to this size, a part also includes the remaining tokens of its last commit. */
const PART_TOKENS_MAX = 512

/** The parts of a range of the list, the last of which ends with the range. */
export async function* readParts(
  request: Pick<TokenListRequest, 'store' | 'show'>,
  filter: TokenFilter,
): AsyncGenerator<ListPart> {
  const encode = encoderInBlocks()
  const partOf = (tokens: readonly TokenRecord[], end: ListPosition | undefined): ListPart => {
    const { text, validUntil, leavesOutExpired } = request.show(tokens)
    return {
      end,
      bytes: encode(text),
      validUntil,
      leavesOutExpired,
      fingerprints: Uint32Array.from(tokens, ({ AccessorID }) => fingerprintOf(AccessorID.toLowerCase())),
      hasNameless: tokens.some(({ AccessorID }) => AccessorID === ''),
    }
  }
  let left: readonly TokenRecord[] = []
  for await (const page of request.store.tokens(filter)) {
    const tokens = left.length === 0 ? page : [...left, ...page]
    let start = 0
    // The last part waits for the next page: it may be the last of the list.
    for (let end = endOfPart(tokens, start); end < tokens.length; end = endOfPart(tokens, start)) {
      const last = tokens[end - 1]
      const place = last && request.store.placeOf(last)
      // Not a view, which would retain the text of a whole page of rows.
      yield partOf(tokens.slice(start, end), place && { ...place, accessorId: ownText(place.accessorId) })
      start = end
    }
    left = tokens.slice(start)
  }
  if (left.length > 0 || filter.until === undefined) yield partOf(left, filter.until)
}

function endOfPart(tokens: readonly TokenRecord[], start: number): number {
  let end = start + PART_TOKENS
  const endMax = Math.min(start + PART_TOKENS_MAX, tokens.length)
  while (end < endMax && tokens[end]?.CreateIndex === tokens[end - 1]?.CreateIndex) end += 1
  return end
}

/** FNV-1a in 32 bits. A collision of two accessors only rebuilds an unchanged part. */
export function fingerprintOf(accessorKey: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < accessorKey.length; i += 1) {
    hash = Math.imul(hash ^ accessorKey.charCodeAt(i), 0x01000193)
  }
  return hash >>> 0
}

const encoder = new TextEncoder()
const BLOCK_BYTES_MAX = 1_048_576
/** Maximum bytes of UTF-8 for one unit of UTF-16. */
const UNIT_BYTES_MAX = 3

/** Encodes texts into blocks that grow with the list: thousands of small pieces would fragment the heap. */
function encoderInBlocks(): (text: string) => Uint8Array {
  let block = new Uint8Array(0)
  let length = 0
  return (text) => {
    const bytesMax = text.length * UNIT_BYTES_MAX
    if (block.length < bytesMax) block = new Uint8Array(Math.max(Math.min(length, BLOCK_BYTES_MAX), bytesMax))
    const { written } = encoder.encodeInto(text, block)
    const bytes = block.subarray(0, written)
    block = block.subarray(written)
    length += written
    return bytes
  }
}

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
  parts: AsyncIterable<ListPart> | Iterable<ListPart>,
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
  return collectParts(renewed, making.bytesMax)
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

/** The whole text. The parts become views of it, so that nothing is stored twice. */
function joinParts(parts: readonly ListPart[]): Pick<TokenList, 'bytes' | 'validUntil' | 'parts'> {
  const shown = parts.filter(({ bytes }) => bytes.length > 0).length
  const whole = new Uint8Array(parts.reduce((sum, { bytes }) => sum + bytes.length, 1 + Math.max(shown, 1)))
  whole[0] = codeOf('[')
  let at = 1
  let validUntil = Number.POSITIVE_INFINITY
  const views = parts.map((part) => {
    validUntil = Math.min(validUntil, part.validUntil)
    // An empty part retains no block.
    if (part.bytes.length === 0) return { ...part, bytes: new Uint8Array(0) }
    if (at > 1) {
      whole[at] = codeOf(',')
      at += 1
    }
    whole.set(part.bytes, at)
    const bytes = whole.subarray(at, at + part.bytes.length)
    at += bytes.length
    return { ...part, bytes }
  })
  whole[at] = codeOf(']')
  return { bytes: whole, validUntil, parts: views }
}

function codeOf(sign: string): number {
  return sign.charCodeAt(0)
}
