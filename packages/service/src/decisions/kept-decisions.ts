/** Caches answers to repeated checks: an application sends the same checks for each of its own requests. */
import type { CompiledPolicies } from '@latchkey/acl'
import type { AuthorizeAnswer, AuthorizeCheck } from '@latchkey/contract'
import { BoundedMap } from '../bounded-map.ts'
import { ObjectNumbers } from '../object-numbers.ts'
import type { JsonText } from '../reply/json-text.ts'

type Answers = JsonText<AuthorizeAnswer[]>

/** Maximum characters of all answers. */
const CHARS_MAX = 4_194_304

/**
 * Compiled policies never change: if the rights of a token change, it gets new ones. Equal bodies are one object
 * (`DecodedBodies`).
 */
export class KeptDecisions {
  private readonly kept = new BoundedMap<string, Answers>(CHARS_MAX)
  private readonly numbers = new ObjectNumbers()

  get(checks: readonly AuthorizeCheck[], policies: CompiledPolicies): Answers | undefined {
    return this.kept.get(this.keyOf(checks, policies))
  }

  keep(checks: readonly AuthorizeCheck[], policies: CompiledPolicies, answers: Answers): void {
    const key = this.keyOf(checks, policies)
    this.kept.set(key, answers, answers.length + key.length)
  }

  private keyOf(checks: object, policies: object): string {
    return `${this.numbers.of(checks)} ${this.numbers.of(policies)}`
  }
}
