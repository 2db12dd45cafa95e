import type { KvRecord } from '@latchkey/acl'
import { AclError, limits } from '@latchkey/contract'
import type { Shown } from './outcome.ts'

/** What a transaction may still read, or show. Decisions: transactions. */
export class TransactionBudget {
  private bytes = limits.TRANSACTION_READ_BYTES_MAX
  private keys = limits.TRANSACTION_TREE_KEYS_MAX

  /** Counts a key with its value. @throws AclError `transaction_too_large`. */
  takeKey({ Key, Value }: Pick<KvRecord, 'Key' | 'Value'>): void {
    this.keys -= 1
    this.takeBytes(Key.length + Value.length)
  }

  /** Counts a record each time it is shown. @throws AclError `transaction_too_large`. */
  takeShown(shown: Shown): void {
    if (shown.kind !== 'key') this.takeBytes(JSON.stringify(shown).length)
    else if (shown.withValue) this.takeKey(shown.record)
  }

  private takeBytes(bytes: number): void {
    this.bytes -= bytes
    if (this.keys >= 0 && this.bytes >= 0) return
    const { TRANSACTION_TREE_KEYS_MAX: keysMax, TRANSACTION_READ_BYTES_MAX: bytesMax } = limits
    const message = `Transaction reads too much: at most ${keysMax} keys, and ${bytesMax} bytes`
    throw new AclError('transaction_too_large', message)
  }
}
