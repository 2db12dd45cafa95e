import type { Random } from '@latchkey/acl'
import { Directory, type DirectoryContent } from '@latchkey/acl'

/** A directory of some records and nothing else. */
export function aDirectory(content: Partial<DirectoryContent> = {}): Directory {
  return new Directory({ policies: [], roles: [], namespaces: [], system: [], ...content }, 1)
}

/** Bytes that count upward, so that each id is another one and the same in every run. */
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
