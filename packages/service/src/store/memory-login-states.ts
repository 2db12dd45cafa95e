import type { LoginState } from '@latchkey/acl'
import type { LoginStates } from './store.ts'

/** Kept apart from the tables: a snapshot does not contain unfinished logins. */
export class MemoryLoginStates implements LoginStates {
  private readonly states = new Map<string, LoginState>()

  async put(
    state: LoginState,
    { openMax, now }: { readonly openMax: number; readonly now: number },
  ): Promise<boolean> {
    let open = 0
    for (const { generation, expiresAt } of this.states.values()) {
      if (generation === state.generation && expiresAt > now) open += 1
    }
    if (open >= openMax) return false
    this.states.set(state.stateHash, state)
    return true
  }

  async take(stateHash: string): Promise<LoginState | undefined> {
    const state = this.states.get(stateHash)
    this.states.delete(stateHash)
    return state
  }

  async reap(now: number): Promise<number> {
    const before = this.states.size
    for (const { stateHash, expiresAt } of this.states.values()) {
      if (expiresAt <= now) this.states.delete(stateHash)
    }
    return before - this.states.size
  }
}
