/**
 * How the console takes 100,000 tokens: `node test/scale.ts [count]`. The pages of the list are made up here, so that
 * only the console counts. Prints when the sign-in page takes a secret, the time to the first rows and to all of them, the
 * longest frame and task while the list loads and while it scrolls, and the time of a search. The time of a task is what it
 * computes, so that a busy machine does not count. Ends by itself.
 */
import type { Browser, Page, Route } from 'playwright-core'
import { launchBrowser, signIn } from './browser.ts'
import { SECRET, startWorld } from './world.ts'

const COUNT = Number(process.argv[2] ?? 100_000)
const world = await startWorld()
const browser = await launchBrowser()
try {
  const page = await browser.newPage({ viewport: { width: 1_360, height: 860 } })
  page.setDefaultTimeout(120_000)
  await page.route('**/v1/acl/tokens?*', answerList)
  const startedAt = performance.now()
  await page.goto(`${world.url}/ui/`)
  await page.getByRole('textbox', { name: 'Secret' }).waitFor()
  console.log(`takes a secret after ${seconds(startedAt)}`)
  await signIn(page, SECRET)
  const loading = await traceTasks(browser, page)
  await page.getByRole('link', { name: 'Tokens' }).first().click()
  const openedAt = performance.now()
  await page.getByText('of the order pipeline').first().waitFor()
  console.log(`first rows after ${seconds(openedAt)}`)
  await page.getByText(`${COUNT.toLocaleString('en')} tokens`).waitFor()
  console.log(`all rows after ${seconds(openedAt)}`)
  console.log(`longest task while the list loads: ${await loading()}`)

  const scrolling = await traceTasks(browser, page)

  const frames = await page.evaluate(async () => {
    const table = document.querySelector('.table-scroll')
    const times: number[] = []
    let last = performance.now()
    for (let step = 0; step < 300; step += 1) {
      table?.scrollBy(0, step % 50 === 0 ? 400_000 : 220)
      await new Promise(requestAnimationFrame)
      const now = performance.now()
      times.push(now - last)
      last = now
    }
    return times.toSorted((a, b) => a - b)
  })
  const at = (share: number) => (frames[Math.floor(frames.length * share)] ?? 0).toFixed(1)
  console.log(
    `frames while scrolling: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${frames.at(-1)?.toFixed(1)} ms`,
  )

  console.log(`longest task while scrolling: ${await scrolling()}`)

  const searchedAt = performance.now()
  await page.getByRole('searchbox').fill('worker 77777')
  await page.getByText(`1 of ${COUNT.toLocaleString('en')} tokens`).waitFor()
  console.log(`search after ${seconds(searchedAt)}`)
} finally {
  await browser.close()
  await world.stop()
}

/** Traces the tasks of the page. @returns ends it, and resolves to the CPU time of the longest task. */
async function traceTasks(of: Browser, page: Page): Promise<() => Promise<string>> {
  await of.startTracing(page, {
    categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
  })
  return async () => {
    const { traceEvents }: Trace = JSON.parse((await of.stopTracing()).toString())
    const mains = traceEvents.filter(
      ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
    )
    // A browser keeps spare renderers, which do nothing.
    const [tasks = []] = mains
      .map((main) => traceEvents.filter((event) => event.pid === main.pid && event.tid === main.tid))
      .map((events) =>
        events.filter(({ name }) => name.endsWith('RunTask')).map(({ tdur = 0 }) => tdur / 1_000),
      )
      .sort((a, b) => b.length - a.length)
      .map((times) => times.sort((a, b) => b - a))
    return `${tasks
      .slice(0, 5)
      .map((ms) => ms.toFixed(0))
      .join(', ')} ms of ${tasks.length}`
  }
}

interface Trace {
  readonly traceEvents: readonly {
    readonly name: string
    readonly pid: number
    readonly tid: number
    /** CPU time in microseconds. */
    readonly tdur?: number
    readonly args?: { readonly name?: string }
  }[]
}

/** A page of the list, as the service sends it; a blocking query gets no answer. */
async function answerList(route: Route): Promise<void> {
  const query = new URL(route.request().url()).searchParams
  if (query.has('index')) return
  const from = Number(query.get('cursor') ?? 0)
  const to = Math.min(COUNT, from + Number(query.get('limit') ?? COUNT))
  await route.fulfill({
    json: Array.from({ length: to - from }, (_, i) => tokenAt(COUNT - from - i)),
    headers: {
      'X-Service-Index': String(COUNT + 1),
      ...(to < COUNT ? { 'X-Service-Next-Cursor': String(to) } : {}),
    },
  })
}

function tokenAt(n: number) {
  const hex = n.toString(16).padStart(12, '0')
  return {
    AccessorID: `6b82fbff-b5f8-4e17-8b5e-${hex}`,
    SecretID: `7c93acaa-c6a9-4f28-9c6f-${hex}`,
    Description: `Worker ${n} of the order pipeline`,
    Policies: [
      { ID: '8fecefe3-2322-4083-83c0-ae88e860cc26', Name: n % 3 === 0 ? 'orders-read' : 'shop-web' },
    ],
    Local: false,
    CreateTime: '2026-11-21T05:13:23.772Z',
    Hash: 'X2AgaFhnQGRhSSF/h0m6qpX1wj/HJWbyXcxkEM/5GrY=',
    CreateIndex: n,
    ModifyIndex: n,
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1_000).toFixed(2)} s`
}
