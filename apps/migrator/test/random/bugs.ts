/**
 * Seeded bugs: models with one wrong rule each. Tests check that the checkers find every bug, because a checker that
 * has never failed proves nothing.
 */
import { nextBatch } from '@latchkey/acl'
import type { UpgradeModel } from '../../src/simulate/models/model.ts'

interface SeededBug {
  readonly sentence: string
  readonly plant: (model: UpgradeModel) => UpgradeModel
}

export const BUGS = {
  'flips-early': {
    sentence: 'a leader does not wait for servers older than 1.4.0',
    plant: (model) => ({
      ...model,
      waitsFor: (look) =>
        model.waitsFor({ ...look, own: look.own.filter((member) => member.tag !== 'none') }),
    }),
  },
  'ignores-acls-off': {
    sentence: 'a leader does not wait for servers with ACLs switched off',
    plant: (model) => ({
      ...model,
      waitsFor: (look) => model.waitsFor({ ...look, own: look.own.filter((member) => member.tag !== '0') }),
    }),
  },
  'follower-alone': {
    sentence: 'a follower decides like a leader, without waiting for it',
    plant: (model) => ({
      ...model,
      waitsFor: (look) => model.waitsFor(look.role === 'follower' ? { ...look, role: 'leader' } : look),
    }),
  },
  'secondary-first': {
    sentence: 'a secondary does not wait for the primary',
    plant: (model) => ({
      ...model,
      waitsFor: (look) => model.waitsFor({ ...look, isPrimary: true }),
    }),
  },
  'mode-back': {
    sentence: 'servers fall back to legacy mode when they lose their leader',
    plant: (model) => ({ ...model, modeWithoutLeader: (mode) => (mode === 'new' ? 'legacy' : mode) }),
  },
  'batch-of-129': {
    sentence: 'a batch holds 129 tokens',
    plant: (model) => ({ ...model, nextBatch: (waiting) => nextBatch(waiting, 129) }),
  },
  hasty: {
    sentence: 'a batch follows the one before after 900 ms',
    plant: (model) => ({
      ...model,
      nextPassMs: (memory, now) =>
        memory.lastPassMs === undefined ? now : Math.max(now, memory.lastPassMs + 900),
    }),
  },
  'blind-write': {
    sentence: 'a batch writes tokens that were edited since it read them',
    plant: (model) => ({ ...model, onConflict: 'overwrite' }),
  },
  'second-accessor': {
    sentence: 'a new leader repeats the last batch of the one before',
    plant: (model) => ({ ...model, repeatsAtTakeover: true }),
  },
  'shared-accessor': {
    sentence: 'a new leader draws accessors that were given before',
    plant: (model) => ({ ...model, drawsFreshAccessors: false }),
  },
  'no-takeover': {
    sentence: 'a new leader does not continue the migration',
    plant: (model) => ({ ...model, migratesAfterElection: false }),
  },
  'forgets-skipped': {
    sentence: 'a token that a batch skipped is never taken again',
    plant: (model) => ({ ...model, retriesSkipped: false }),
  },
  'forgets-new': {
    sentence: 'tokens created after the migration has begun are not seen',
    plant: (model) => ({ ...model, noticesNewTokens: false }),
  },
  'looks-once': {
    sentence: 'a server looks a few times and then never again for a day',
    plant: (model) => ({ ...model, lookDelayMs: (n) => (n < 4 ? model.lookDelayMs(n) : 86_400_000) }),
  },
} as const satisfies Record<string, SeededBug>

export type BugName = keyof typeof BUGS
export const BUG_NAMES = Object.keys(BUGS) as BugName[]
