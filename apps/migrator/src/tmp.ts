import { BUG_NAMES, BUGS } from './check/bugs.ts'
import { firstFailure, runSeed } from './check/random-run.ts'
import { latchkeyModel } from './simulate/latchkey-model.ts'
import { serviceModel } from './simulate/service-model.ts'

for (const model of [serviceModel, latchkeyModel]) {
  const t = performance.now()
  let bad = 0
  const rules = new Map<string, number[]>()
  const N = Number(process.argv[2] ?? 1000)
  for (let s = 1; s <= N; s++) {
    const f = runSeed(s, model)
    if (f) {
      bad++
      for (const v of f.violations) {
        const l = rules.get(v.rule) ?? []
        l.push(s)
        rules.set(v.rule, l)
      }
      if (bad < 6) console.log(s, f.violations.slice(0, 3))
    }
  }
  console.log(model.name, 'bad', bad, performance.now() - t)
  for (const [k, v] of rules) console.log(k, v.length, [...new Set(v)].slice(0, 10))
  for (const b of BUG_NAMES) {
    const t = performance.now()
    const f = firstFailure(1, 500, BUGS[b].plant(model))
    console.log(b, f?.seed, f?.violations[0]?.rule, Math.round(performance.now() - t))
  }
}
