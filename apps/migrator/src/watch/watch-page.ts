/** The report of a running upgrade: predicted and measured values on one time axis, rewritten on every change. */
import { html } from '@latchkey/contract'
import { counted } from '../findings/finding.ts'
import { renderChart } from '../report/chart/time-chart.ts'
import { renderWaysBack } from '../report/checklist.ts'
import type { Clock } from '../report/clock.ts'
import { renderInputs } from '../report/html.ts'
import type { ReportInputs } from '../report/inputs.ts'
import { formatCount, page, section, table } from '../report/markup.ts'
import { MODE_TEXTS } from './observe.ts'
import type { Prediction } from './prediction.ts'
import type { Watch, WatchLine } from './watch.ts'
import { wayBackNow } from './way-back-now.ts'

/** Refresh interval of an open page, in seconds, until the upgrade is done. */
const REFRESH_SECONDS = 5

const STATES = {
  waiting: 'Waiting for legacy mode to end',
  running: 'Tokens get their accessors',
  done: 'Done',
  silent: 'No server answers',
} as const

interface PageFacts {
  readonly watch: Watch
  readonly prediction: Prediction | undefined
  readonly clock: Clock
  readonly inputs: ReportInputs & { readonly replay: string }
}

export function renderWatch(line: WatchLine, { watch, prediction, clock, inputs }: PageFacts): string {
  const { state, alarms, done, total, servers, waitsFor, tokensPerSecond, at } = line
  const ways = prediction?.waysBack ?? []
  const way = wayBackNow(servers, { hasAccessors: total > 0 && done === total, ways })
  const look = alarms.length > 0 || state === 'silent' ? 'nogo' : state === 'done' ? 'go' : 'care'
  const items = [
    `${formatCount(done)} of ${counted(total, 'token')} have an accessor${state === 'running' ? `, ${tokensPerSecond} a second` : ''}.`,
    ...(line.silent === undefined ? [] : [`Why: ${line.silent}.`]),
    ...(state === 'waiting' && waitsFor.length > 0 ? [`It waits for ${waitsFor.join('; ')}.`] : []),
    ...(way === undefined
      ? []
      : [
          `The way back: ${way.how}${way.lost.length === 0 ? ' Nothing is lost.' : ` This loses: ${way.lost.join('; ')}.`}`,
        ]),
  ]
  const title = alarms.length > 0 ? 'Alarm' : STATES[state]
  const rows = servers.map(({ name, version, mode, status }) => [
    name,
    version || '–',
    mode === undefined ? 'unknown' : MODE_TEXTS[mode],
    status,
  ])
  const charts = { predicted: prediction?.chart, measured: watch.chart() }
  return page(
    `${title}: ${prediction?.scenario ?? 'upgrade'}`,
    [
      html`<header><p class="kicker">Upgrade in progress</p><h1>${prediction?.scenario ?? 'Upgrade'}</h1></header>`,
      html`<div class="verdict ${look}"><p class="word">${title}</p>${alarms.map(({ text }) => html`<p class="lead">${text}.</p>`)}<ul>${items.map((each) => html`<li>${each}</li>`)}</ul><p class="note">As of <time>${at}</time></p></div>`,
      section(
        prediction === undefined ? 'Measured' : 'Predicted and measured',
        renderChart(charts, clock),
        prediction === undefined
          ? undefined
          : 'In each lane, the upper bar is the prediction, and the lower bar is what was measured.',
      ),
      servers.length > 0 &&
        section(
          'Servers',
          table(['server', 'version', 'mode', 'status'], rows, { caption: 'The servers as last seen' }),
        ),
      section('The way back', renderWaysBack(ways, clock)),
      section('Inputs', renderInputs({ replay: inputs.replay }, inputs)),
    ],
    state === 'done' ? undefined : REFRESH_SECONDS,
  )
}
