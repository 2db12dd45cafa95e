/** Transaction operations on keys. */
import type { KvRecord } from '@latchkey/acl'
import type { SessionRecord } from '../records/session-records.ts'
import { isSameKey, type LockRequest, lockedKey, releasedKey } from '../sessions/create-session.ts'
import type { KeyOperation } from './operations.ts'
import {
  DENIED,
  type Expectation,
  failed,
  isAtIndex,
  type KeyChange,
  type May,
  NOTHING,
  type Outcome,
  PENDING_INDEX,
} from './outcome.ts'

/** In place of a value that no operation can show or repeat. It equals no value, not even an empty one. */
export const UNLOADED_VALUE = new Uint8Array(0)

export interface StoredKeys {
  /** Finds any key that an operation names. Its value may be {@link UNLOADED_VALUE}. */
  entry(namespace: string, key: string): KvRecord | undefined
  tree(namespace: string, prefix: string): readonly KvRecord[]
  /** Whether a lock delay is running for a key that an operation locks. */
  isDelayed(namespace: string, key: string): boolean
  readonly compare: (a: string, b: string) => number
}

const ACCESS = {
  set: 'write',
  cas: 'write',
  delete: 'write',
  'delete-cas': 'write',
  'check-not-exists': 'write',
  'delete-tree': 'write-prefix',
  lock: 'write',
  unlock: 'write',
  'check-index': 'read',
  'check-session': 'read',
  get: 'read',
  'get-tree': 'read',
} as const

/** Whether the caller may perform an operation. Gets omit keys that the caller may not read. */
function mayUseKey({ verb, key, namespace }: KeyOperation, may: May): boolean {
  return may({ resource: 'key', segment: key, access: ACCESS[verb] }, namespace)
}

export interface LiveSessions {
  has(id: string): boolean
  ended(id: string): SessionRecord | undefined
}

/** Stored keys, with the writes of earlier operations of the transaction. */
export class Keys {
  private readonly stored: StoredKeys
  private readonly sessions: LiveSessions
  private readonly written = new Map<string, Written>()
  private readonly deletedTrees: KeyRange[] = []
  private readonly expected = new Map<string, Expectation>()

  /** @param sessions the sessions after the writes of earlier operations. */
  constructor(stored: StoredKeys, sessions: LiveSessions) {
    this.stored = stored
    this.sessions = sessions
  }

  apply(operation: KeyOperation, may: May): Outcome {
    const { verb, key, namespace, index, session } = operation
    if (verb === 'get-tree') return this.showTree(operation, may)
    if (!mayUseKey(operation, may)) return verb === 'get' ? NOTHING : DENIED
    if (verb === 'delete-tree') return this.deleteTree(operation)
    const name = JSON.stringify(key)
    const entry = this.entry(namespace, key)
    const stale = isAtIndex(entry, index) ? undefined : entry
    switch (verb) {
      case 'set':
        return this.put(operation, entry)
      case 'cas':
        return isAtIndex(entry, index)
          ? this.put(operation, entry)
          : failed(`failed to set key ${name}, index is stale`)
      case 'get':
        return entry ? show(entry, true) : failed(`key ${name} doesn't exist`)
      case 'check-index':
        if (!entry) return failed(`failed to check index, key ${name} doesn't exist`)
        return stale
          ? failed(`failed index check for key ${name}, current modify index ${indexOf(stale)} != ${index}`)
          : show(entry, false)
      case 'lock':
        return this.lock(operation, entry)
      case 'unlock': {
        const free = releasedKey(entry, requestOf(operation))
        return free
          ? this.put(operation, entry, free)
          : failed(`failed to unlock key ${name}, lock isn't held, or is held by another session`)
      }
      case 'check-session': {
        if (!entry) return failed(`failed to check session, key ${name} doesn't exist`)
        const { Session = '' } = entry
        const problem = `failed session check for key ${name}, current session "${Session}" != "${session}"`
        return Session === session ? show(entry, false) : failed(problem)
      }
      case 'check-not-exists':
        return entry ? failed(`key ${name} exists`) : NOTHING
      case 'delete':
        return this.remove(operation)
      case 'delete-cas':
        return stale ? failed(`failed to delete key ${name}, index is stale`) : this.remove(operation)
    }
  }

  /** Ordered so that a tree is deleted before keys are put below its prefix. */
  changes(): readonly KeyChange[] {
    const changes: KeyChange[] = this.deletedTrees.map((range) => ({
      table: 'kv',
      op: 'delete-tree',
      ...range,
    }))
    for (const { namespace, key, record, stored } of this.written.values()) {
      if (record) {
        const CreateIndex = Math.max(record.CreateIndex, 0)
        const expect = stored?.ModifyIndex ?? 0
        changes.push({ table: 'kv', op: 'put', record: { ...record, CreateIndex, ModifyIndex: 0 }, expect })
      } else if (stored && !this.isInDeletedTree(namespace, key)) {
        changes.push({ table: 'kv', op: 'delete', record: stored, expect: stored.ModifyIndex })
      }
    }
    return changes
  }

  expectations(): readonly Expectation[] {
    return [...this.expected.values()]
  }

  private entry(namespace: string, key: string): KvRecord | undefined {
    const written = this.written.get(idOf(namespace, key))
    if (written) return this.freed(written.record)
    return this.isInDeletedTree(namespace, key) ? undefined : this.freed(this.read(namespace, key))
  }

  /** A key whose session the transaction has ended: released or deleted, as after the commit. */
  private freed(entry: KvRecord | undefined): KvRecord | undefined {
    const ended = entry?.Session === undefined ? undefined : this.sessions.ended(entry.Session)
    if (!entry || !ended) return entry
    if (ended.Behavior === 'delete') return undefined
    const { Session: _, ...free } = entry
    return { ...free, ModifyIndex: PENDING_INDEX }
  }

  /** Reads a stored key, and records that the transaction depends on it. */
  private read(namespace: string, key: string): KvRecord | undefined {
    const entry = this.stored.entry(namespace, key)
    const modifyIndex = entry?.ModifyIndex ?? 0
    this.expected.set(idOf(namespace, key), { table: 'kv', namespace, key, modifyIndex })
    return entry
  }

  private lock(operation: KeyOperation, entry: KvRecord | undefined): Outcome {
    const { namespace, key, session } = operation
    if (!this.sessions.has(session)) return failed(`invalid session "${session}"`)
    const locked = lockedKey(entry, requestOf(operation))
    if (!locked) return failed(`failed to lock key ${JSON.stringify(key)}, lock is already held`)
    const isHeld = entry?.Session === session
    if (!isHeld && this.stored.isDelayed(namespace, key))
      return failed(`failed to lock key ${JSON.stringify(key)} due to lock delay`)
    return this.put(operation, entry, locked)
  }

  /** @param lock the new state of the lock. Default: unchanged. */
  private put(operation: KeyOperation, entry: KvRecord | undefined, lock = entry): Outcome {
    const { namespace, key, value, flags } = operation
    const stored = this.isInDeletedTree(namespace, key) ? undefined : this.stored.entry(namespace, key)
    const record: KvRecord = {
      Key: key,
      Flags: flags,
      Value: value,
      LockIndex: lock?.LockIndex ?? 0,
      ...(lock?.Session === undefined ? {} : { Session: lock.Session }),
      // A store keeps the CreateIndex of a record that the same commit deletes and puts.
      CreateIndex: stored?.CreateIndex ?? PENDING_INDEX,
      ModifyIndex: PENDING_INDEX,
      Namespace: namespace,
    }
    const isUnchanged = entry?.Value !== UNLOADED_VALUE && isSameKey(entry, record)
    if (entry && isUnchanged) return show(entry, false)
    this.written.set(idOf(namespace, key), { namespace, key, record, stored })
    return show(record, false)
  }

  private remove({ namespace, key }: KeyOperation): Outcome {
    const stored = this.stored.entry(namespace, key)
    this.written.set(idOf(namespace, key), { namespace, key, record: undefined, stored })
    return NOTHING
  }

  private deleteTree({ namespace, key: prefix }: KeyOperation): Outcome {
    const range = { namespace, prefix }
    for (const [id, written] of this.written) if (isIn(range, written)) this.written.delete(id)
    this.deletedTrees.push(range)
    return NOTHING
  }

  private showTree({ namespace, key: prefix }: KeyOperation, may: May): Outcome {
    const { stored, written } = this
    const range = { namespace, prefix }
    const all = this.isInDeletedTree(namespace, prefix) ? [] : stored.tree(namespace, prefix)
    const modifyIndex = Math.max(0, ...all.map(({ ModifyIndex }) => ModifyIndex))
    if (!this.isInDeletedTree(namespace, prefix)) {
      const expectation = { table: 'kv', namespace, prefix, count: all.length, modifyIndex } as const
      this.expected.set(`tree ${idOf(namespace, prefix)}`, expectation)
    }
    const left = all
      .filter(({ Key }) => !written.has(idOf(namespace, Key)) && !this.isInDeletedTree(namespace, Key))
      .flatMap((entry) => this.freed(entry) ?? [])
    const own = [...written.values()].flatMap((one) =>
      isIn(range, one) ? (this.freed(one.record) ?? []) : [],
    )
    const mayRead = ({ Key }: KvRecord) => may({ resource: 'key', segment: Key, access: 'read' }, namespace)
    const shown = [...left, ...own]
      .filter(mayRead)
      .sort((a, b) => stored.compare(a.Key, b.Key))
      .map((record) => ({ kind: 'key', record, withValue: true }) as const)
    return { shown }
  }

  private isInDeletedTree(namespace: string, key: string): boolean {
    return this.deletedTrees.some((range) => isIn(range, { namespace, key }))
  }
}

function requestOf({ namespace, key, value, flags, session }: KeyOperation): LockRequest {
  return { Namespace: namespace, Key: key, Flags: flags, Value: value, Session: session }
}

interface KeyRange {
  readonly namespace: string
  readonly prefix: string
}

interface Written {
  readonly namespace: string
  readonly key: string
  readonly record: KvRecord | undefined
  /** The stored record, unless an earlier operation deletes it with its tree. */
  readonly stored: KvRecord | undefined
}

function isIn({ namespace, prefix }: KeyRange, of: Pick<Written, 'namespace' | 'key'>): boolean {
  return of.namespace === namespace && of.key.startsWith(prefix)
}

function show(record: KvRecord, withValue: boolean): Outcome {
  return { shown: [{ kind: 'key', record, withValue }] }
}

function indexOf({ ModifyIndex }: KvRecord): string {
  return ModifyIndex === PENDING_INDEX ? 'of this transaction' : String(ModifyIndex)
}

function idOf(namespace: string, key: string): string {
  return `${namespace}/${key}`
}
