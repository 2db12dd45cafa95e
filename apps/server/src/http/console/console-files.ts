/** The built files of the console, each read once, on its first request. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Encoding } from '../compression/encodings.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Suffixes of the files that the build compressed, by coding. */
const SUFFIXES = { br: '.br', gzip: '.gz' } as const satisfies Partial<Record<Encoding, string>>
type BuiltEncoding = keyof typeof SUFFIXES

/** The codings of the build, the smallest first. */
const BUILT_ENCODINGS: readonly BuiltEncoding[] = ['br', 'gzip']

interface ConsoleFile {
  readonly type: string
  readonly tag: string
  /** Its name contains a hash of its content, so the content never changes. */
  readonly isImmutable: boolean
  /** Codings in which the file exists. */
  readonly encodings: readonly BuiltEncoding[]
  bytes(encoding: BuiltEncoding | undefined): Buffer
}

export class ConsoleFiles {
  private readonly folder: string
  private paths: ReadonlySet<string> | undefined
  private readonly files = new Map<string, ConsoleFile>()

  constructor(folder: string) {
    this.folder = folder
  }

  /** The page, which the server completes; `undefined`: the console was not built. */
  page(): string | undefined {
    const path = join(this.folder, 'index.html')
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }

  /** @param path below `/ui`, such as `/assets/index-1a2b3c4d.js`. */
  find(path: string): ConsoleFile | undefined {
    // Only listed files can be requested: no path of a request reaches the file system.
    this.paths ??= listOf(this.folder)
    const name = path.slice(1)
    const type = TYPES[extname(name)]
    if (type === undefined || !this.paths.has(name)) return undefined
    const file = this.files.get(name) ?? this.readIfThere(name, type, this.paths)
    if (file) this.files.set(name, file)
    return file
  }

  /** A new build may have removed the file since the server listed the folder. */
  private readIfThere(name: string, type: string, paths: ReadonlySet<string>): ConsoleFile | undefined {
    try {
      return this.read(name, type, paths)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  private read(name: string, type: string, paths: ReadonlySet<string>): ConsoleFile {
    const plain = readFileSync(join(this.folder, name))
    const encodings = BUILT_ENCODINGS.filter((encoding) => paths.has(`${name}${SUFFIXES[encoding]}`))
    const encoded = new Map(
      encodings.map((encoding) => [
        encoding,
        readFileSync(join(this.folder, `${name}${SUFFIXES[encoding]}`)),
      ]),
    )
    return {
      type,
      tag: tagOf(plain),
      isImmutable: name.startsWith('assets/'),
      encodings,
      bytes: (encoding) => (encoding === undefined ? plain : (encoded.get(encoding) ?? plain)),
    }
  }
}

/** A weak ETag: the same for all codings of a file. */
export function tagOf(bytes: string | Buffer): string {
  return `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
}

function listOf(folder: string): ReadonlySet<string> {
  if (!existsSync(folder)) return new Set()
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return new Set(names.map((name) => name.replaceAll('\\', '/')))
}
