import { describeStore } from '@latchkey/testkit/store/store-suite'
import { openTestStore } from '../../test/store.ts'

const cached = await openTestStore()
const uncached = await openTestStore({ isCaching: false })

describeStore('PostgresStore', () => cached)
describeStore('PostgresStore without caches', () => uncached, { keepsObjects: false })
