/**
 * The chart of a report: the modes of servers, tokens without an accessor and clients' errors over one time axis, with the
 * events marked through all of them. With a measured chart, each lane shows the prediction and what really happened.
 */
import { type Html, html, type Insertable } from '@latchkey/contract'
import type { Clock } from '../clock.ts'
import { type Chart, type ClientTrack, LOOKS, type Look, type Mark, type Track } from './chart.ts'
import { clientLane, tokenLane } from './lanes.ts'
import { type TimeScale, timeScale } from './scale.ts'

interface ChartPair {
  readonly predicted: Chart | undefined
  readonly measured: Chart | undefined
}

export function renderChart({ predicted, measured }: ChartPair, clock: Clock): Html {
  const charts = [predicted, measured].filter((each) => each !== undefined)
  const longest = (of: (chart: Chart) => number) => Math.max(0, ...charts.map(of))
  const scale = timeScale(
    longest(({ end }) => end),
    longest(({ busyUntil }) => busyUntil),
  )
  const marks = (predicted ?? measured)?.marks ?? []
  const guides = renderGuides(marks, scale)
  const isPair = charts.length === 2
  const lane = (label: Insertable, plot: Insertable, name = '') =>
    html`<div class="lane ${name}"><div class="label">${label}</div><div class="plot">${guides}${plot}</div></div>`
  const tracks = (predicted ?? measured)?.tracks ?? []
  const groups = [...new Set(tracks.map(({ datacenter }) => datacenter))].map((datacenter) => {
    const lanes = tracks
      .filter((each) => each.datacenter === datacenter)
      .map((track) => {
        const real = measured?.tracks.find(({ id }) => id === track.id)
        const rows = isPair ? [track, real ?? { ...track, stretches: [] }] : [track]
        const bars = rows.map((each, i) => renderTrack(each, scale, { clock, isMeasured: isPair && i === 1 }))
        return lane(
          html`<b>${track.id}</b> <small>${track.isAgent ? 'client agent, ' : ''}${newModeText(track, clock)}</small>`,
          bars,
          isPair ? 'pair' : '',
        )
      })
    return html`<h3>${datacenter}</h3>${lanes}`
  })
  const tokens = tokenLane(charts, scale, clock)
  const tracked = charts.flatMap((chart, i) =>
    chart.clients.map((each) =>
      isPair ? { ...each, name: `${each.name}, ${i === 0 ? 'predicted' : 'measured'}` } : each,
    ),
  )
  const clients = tracked.map((track) => {
    const { label, plot } = clientLane(track, scale)
    return lane(label, plot)
  })
  const looks = new Set(
    charts.flatMap((chart) => chart.tracks.flatMap((each) => each.stretches.map(({ look }) => look))),
  )
  return html`<div class="chart">
${lane(html`<small>${clock.startsAt === undefined ? 'since the start' : 'time of day'}</small>`, renderTicks(scale, clock), 'axis')}
${groups}
${tokens && [html`<h3>Tokens without an accessor</h3>`, lane(tokens.label, tokens.plot, 'tall')]}
${clients.length > 0 && [html`<h3>Client errors</h3>`, ...clients]}
${lane('', renderTicks(scale, clock), 'axis')}
</div>${renderLegend(looks, { isPair, spans: tracked.flatMap(({ spans }) => spans), hasBreak: scale.breakAt !== undefined })}${renderMarks(marks, clock)}`
}

function newModeText({ newModeAt }: Track, clock: Clock): string {
  return newModeAt === undefined ? 'never in new mode' : `new mode at ${clock.time(newModeAt)}`
}

function renderTrack(
  { id, stretches }: Track,
  scale: TimeScale,
  { clock, isMeasured }: { readonly clock: Clock; readonly isMeasured: boolean },
): Html {
  const spoken = stretches
    .map(({ from, to, look, version }) => {
      const until = to === undefined ? 'to the end' : `to ${clock.time(to)}`
      return `${version} ${LOOKS[look]} from ${clock.time(from)} ${until}`
    })
    .join(', ')
  const bars = stretches
    .filter(({ from }) => from <= scale.end)
    .map(({ from, to, look, version, leads }) => {
      const left = scale.percent(from)
      const width = scale.percent(to ?? scale.end) - left
      const title = `${version} ${LOOKS[look]}, from ${clock.time(from)}${to === undefined ? '' : ` to ${clock.time(to)}`}${leads ? ', leader' : ''}`
      return html`<i class="m-${look}${leads && ' leads'}" style="left:${left}%;width:${width.toFixed(2)}%" title="${title}">${width > 12 && look !== 'down' && version}</i>`
    })
  const name = isMeasured ? `${id} measured` : id
  return html`<div class="bar${isMeasured && ' measured'}" role="img" aria-label="${name}: ${spoken || 'not seen'}">${bars}</div>`
}

/** Vertical lines through every lane, which mark the same moment in all of them. */
function renderGuides(marks: readonly Mark[], { percent, ticks, breakAt }: TimeScale): Insertable {
  return [
    ...ticks.map((at) => html`<s style="left:${percent(at)}%"></s>`),
    ...marks.map(({ at, kind }) => html`<s class="g-${kind}" style="left:${percent(at)}%"></s>`),
    breakAt !== undefined && html`<s class="break" style="left:${percent(breakAt)}%"></s>`,
  ]
}

function edgeOf(percent: number): string {
  if (percent < 4) return ' first'
  return percent > 95 ? ' last' : ''
}

function renderTicks({ ticks, percent }: TimeScale, clock: Clock): Insertable {
  return ticks.map(
    (at) =>
      html`<span class="tick${edgeOf(percent(at))}" style="left:${percent(at)}%">${clock.tick(at)}</span>`,
  )
}

function renderMarks(marks: readonly Mark[], clock: Clock): Html | undefined {
  if (marks.length === 0) return undefined
  const items = marks.map(
    ({ at, kind, text }) =>
      html`<li><i class="g-${kind}"></i><time>${clock.time(at)}</time><span>${text}</span></li>`,
  )
  return html`<ol class="marks-list" aria-label="Events">${items}</ol>`
}

function renderLegend(
  looks: ReadonlySet<Look>,
  {
    isPair,
    spans,
    hasBreak,
  }: { readonly isPair: boolean; readonly spans: ClientTrack['spans']; readonly hasBreak: boolean },
): Html {
  const names = (Object.keys(LOOKS) as Look[]).filter((look) => looks.has(look))
  return html`<ul class="legend" aria-label="Legend">${names.map((name) => html`<li><i class="m-${name}"></i>${LOOKS[name]}</li>`)}<li><i class="leads"></i>leader</li>${isPair && html`<li><i class="upper"></i>above: predicted</li><li><i class="lower"></i>below: measured</li>`}${spans.some(({ isError }) => isError) && html`<li><i class="c-error"></i>errors</li>`}${spans.some(({ isError }) => !isError) && html`<li><i class="c-odd"></i>unexpected answers</li>`}${hasBreak && html`<li><i class="break"></i>from here on, the axis is compressed</li>`}</ul>`
}
