/** A primary behind a faulty connection: small pages, and answers that are lost, late or duplicated. */
import type { Changes } from '@latchkey/contract'
import { type ChangesAnswer, type ChangesQuery, type ChangesSource, serviceSource } from '@latchkey/service'
import type { SeededRandom } from '../random.ts'
import { MANAGEMENT, type World } from '../service/world.ts'

/** How a broken reader or primary would distort an answer. */
export type Garble = (answer: Changes, query: ChangesQuery) => Changes

const PAGE_RECORDS = 3
const TABLES = ['Namespaces', 'Policies', 'Roles', 'Tokens'] as const

export class FaultySource implements ChangesSource {
  /** Replaced when the primary is replaced. */
  primary: World
  /** Probability that an answer is lost or replaced by an older one. */
  faultiness = 0
  private readonly random: SeededRandom
  private readonly garble: Garble
  private answers: { readonly primary: World; readonly answer: ChangesAnswer }[] = []

  constructor(primary: World, random: SeededRandom, garble: Garble = (answer) => answer) {
    this.primary = primary
    this.random = random
    this.garble = garble
  }

  /** The same source, but its answers wait until the function is called. */
  held(): { readonly source: ChangesSource; readonly release: () => void } {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const ask = async (query: ChangesQuery, signal: AbortSignal) => {
      const answer = await this.ask(query, signal)
      await gate
      return answer
    }
    return { source: { ask }, release }
  }

  async ask(query: ChangesQuery, signal: AbortSignal): Promise<ChangesAnswer> {
    const { random, primary } = this
    if (random.chance(this.faultiness)) throw new Error('the connection was cut')
    const answer = await this.answerOf(primary, query, signal)
    const older = this.olderAnswer(primary)
    this.answers.push({ primary, answer })
    if (random.chance(this.faultiness)) throw new Error('the answer was cut')
    return older ?? { ...answer, changes: this.garble(answer.changes, query) }
  }

  private olderAnswer(primary: World): ChangesAnswer | undefined {
    const { random } = this
    this.answers = this.answers.filter((known) => known.primary === primary).slice(-5)
    const isLate = this.answers.length > 0 && random.chance(this.faultiness)
    return isLate ? random.pick(this.answers).answer : undefined
  }

  private async answerOf(primary: World, query: ChangesQuery, signal: AbortSignal): Promise<ChangesAnswer> {
    const source = serviceSource({
      handle: (request) => primary.service.handle(request),
      secretId: () => MANAGEMENT,
    })
    if (query.index === undefined) {
      const { changes } = await source.ask({}, signal)
      return pageOf(changes, query.cursor)
    }
    const answering = source.ask({ ...query, wait: '1ms' }, signal)
    // The wait ends without news.
    let isAnswered = false
    const answered = answering.finally(() => {
      isAnswered = true
    })
    answered.catch(() => {})
    for (let turn = 0; turn < 5 && !isAnswered; turn += 1) await primary.clock.advance(2)
    return answered
  }
}

/** A few records of a page of the whole copy. */
function pageOf(all: Changes, cursor: string | undefined): ChangesAnswer {
  const records = TABLES.flatMap((table) =>
    all[table].map((record) => ({ table, record, place: placeOf(table, record) })),
  ).sort((a, b) => (a.place < b.place ? -1 : 1))
  const left = records.filter(({ place }) => cursor === undefined || place > cursor)
  const page = left.slice(0, PAGE_RECORDS)
  const of = <T extends (typeof TABLES)[number]>(table: T) =>
    page.filter((entry) => entry.table === table).map(({ record }) => record) as Changes[T]
  const changes = {
    ...all,
    Namespaces: of('Namespaces'),
    Policies: of('Policies'),
    Roles: of('Roles'),
    Tokens: of('Tokens'),
  }
  return {
    changes: cursor === undefined ? changes : { ...changes, After: cursor },
    nextCursor: left.length > page.length ? page.at(-1)?.place : undefined,
  }
}

function placeOf(table: (typeof TABLES)[number], record: Changes[(typeof TABLES)[number]][number]): string {
  const key = 'AccessorID' in record ? record.AccessorID : 'ID' in record ? record.ID : record.Name
  const order = table === 'Tokens' ? String(record.CreateIndex).padStart(8, '0') : ''
  return `${TABLES.indexOf(table)}/${order}/${key}`
}
