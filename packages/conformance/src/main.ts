/** `pnpm conformance`: the suite against a running service. */
import { PRODUCT_VERSION, visible } from '@latchkey/contract'
import { type Arguments, readArguments, USAGE, UsageError } from './arguments.ts'
import { CASES } from './cases/index.ts'
import { probeTraits } from './probe.ts'
import { makeReport, renderReport } from './report.ts'
import { runCases } from './run.ts'

async function run({
  url,
  prefix,
  token,
  report: form,
  only,
  slow,
  decodesOnly,
}: Arguments): Promise<number> {
  const traits = await probeTraits({ url, prefix, token })
  const chosen = CASES.filter(
    ({ id, sections }) =>
      only.length === 0 || only.some((start) => [id, ...sections].some((text) => text.startsWith(start))),
  )
  if (chosen.length === 0)
    throw new UsageError(`--only ${only.join(', ')}: no case and no row of the spec has this prefix`)
  const target = { name: 'conformance', url, prefix, token, traits, isPatient: slow, decodesOnly }
  const report = makeReport(target, await runCases(chosen, target))
  console.log(form === 'json' ? JSON.stringify(report, undefined, 2) : visible(renderReport(report)))
  return report.counts.failed === 0 ? 0 : 1
}

try {
  const parsed = readArguments(process.argv.slice(2), process.env)
  if (parsed === 'help') console.log(USAGE)
  else if (parsed === 'version') console.log(`Latchkey ${PRODUCT_VERSION}`)
  else process.exitCode = await run(parsed)
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  console.error(error instanceof UsageError ? `${message}\n\n${USAGE}` : message)
  process.exitCode = 2
}
