import { describeStore } from '@latchkey/testkit/store/store-suite'
import { MemoryStore } from './memory-store.ts'

const store = new MemoryStore({
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  now: Date.now,
})

describeStore('MemoryStore', () => store)
