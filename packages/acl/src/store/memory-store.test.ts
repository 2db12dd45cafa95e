import { MemoryStore } from './memory-store.ts'
import { describeStore } from './store-suite.ts'

const store = new MemoryStore({
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
})

describeStore('MemoryStore', () => store)
