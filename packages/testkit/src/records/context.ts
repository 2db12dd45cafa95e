import type { Random } from '@latchkey/acl'
import { Directory, type DirectoryContent, EMPTY_CONTENT } from '@latchkey/acl'

export function aDirectory(content: Partial<DirectoryContent> = {}): Directory {
  return new Directory({ ...EMPTY_CONTENT, ...content }, 1)
}

/** Bytes that count upward, so ids are distinct and the same in every run. */
export function countingRandom(): Random {
  let next = 0
  return {
    bytes: (count) =>
      Uint8Array.from({ length: count }, () => {
        next = (next + 1) % 256
        return next
      }),
  }
}
