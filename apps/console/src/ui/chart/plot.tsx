/** The canvas of a chart, in a separate file: only pages that draw one load the library. */
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useRem } from '../use-rem.ts'
import { type ChartProps, clock, type Line } from './series.ts'

const HEIGHT_REM = 11
const LABEL_REM = 0.75
const CHARACTER_REM = 0.45
const INTERVAL_REM = 5
const MINUTE_MS = 60_000

interface PlotProps extends ChartProps {
  /** The index of the time at the pointer; `undefined`: the pointer is elsewhere. */
  readonly onPoint: (index: number | undefined) => void
}

export function Plot(props: PlotProps) {
  const { times, lines } = props
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(props)
  latest.current = props
  const rem = useRem()
  const data: uPlot.AlignedData = [[...times], ...lines.map(({ values }) => [...values])]
  // A line keeps its style; its values are set below.
  const labels = lines.map(({ label }) => label).join('\n')
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const size = () => ({ width: element.clientWidth, height: HEIGHT_REM * rem })
    const drawn = new uPlot({ ...size(), ...optionsOf(element, rem, latest) }, data, element)
    plot.current = drawn
    const redraw = () => drawn.redraw(false)
    const resized = new ResizeObserver(() => drawn.setSize(size()))
    resized.observe(element)
    const theme = new MutationObserver(redraw)
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const dark = window.matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', redraw)
    return () => {
      resized.disconnect()
      theme.disconnect()
      dark.removeEventListener('change', redraw)
      drawn.destroy()
    }
  }, [labels, rem])
  useEffect(() => plot.current?.setData(data))
  return <div ref={box} className="chart-plot" />
}

function optionsOf(
  element: HTMLElement,
  rem: number,
  latest: { readonly current: PlotProps },
): Omit<uPlot.Options, 'width' | 'height'> {
  const color = (name: string) => () => colorOf(element, name)
  const font = `${LABEL_REM * rem}px ${getComputedStyle(element).fontFamily}`
  const axis = { stroke: color('--ink-3'), font, ticks: { show: false } }
  return {
    ms: 1,
    legend: { show: false },
    padding: [rem / 2, rem, 0, 0],
    cursor: { drag: { x: false, y: false }, y: false, points: { size: rem / 2 } },
    scales: { y: { range: (_, __, highest) => uPlot.rangeNum(0, Math.max(highest ?? 0, 1), 0.1, true) } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: INTERVAL_REM * rem,
        size: 1.75 * rem,
        values: (_, splits, __, ___, interval) =>
          splits.map((time) => clock(time).slice(0, interval < MINUTE_MS ? undefined : -':00'.length)),
      },
      {
        ...axis,
        grid: { stroke: color('--line'), width: 1 },
        space: 2.25 * rem,
        size: (_, values) =>
          (1 + CHARACTER_REM * Math.max(1, ...(values ?? []).map(({ length }) => length))) * rem,
        values: (_, splits) => splits.map((value) => latest.current.format(value)),
      },
    ],
    series: [{}, ...latest.current.lines.map(({ label, look }) => ({ label, ...LOOKS[look](color) }))],
    hooks: { setCursor: [({ cursor }) => latest.current.onPoint(cursor.idx ?? undefined)] },
  }
}

type ColorOf = (name: string) => () => string

const LOOKS: Readonly<Record<Line['look'], (color: ColorOf) => Partial<uPlot.Series>>> = {
  area: (color) => ({
    stroke: color('--accent'),
    fill: color('--accent-soft'),
    width: 2,
    points: { show: false },
  }),
  expected: (color) => ({ stroke: color('--accent'), width: 1.5, dash: [5, 5], points: { show: false } }),
  bound: (color) => ({ stroke: color('--ink-3'), width: 1, points: { show: false } }),
}

/** The current value of a design colour in the page's theme: a canvas cannot use CSS variables. */
function colorOf(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`
  const { color } = getComputedStyle(element)
  element.style.color = ''
  return color
}
