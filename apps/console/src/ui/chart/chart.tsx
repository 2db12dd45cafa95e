import { lazy, Suspense, useId, useState } from 'react'
import './chart.css'
import { type ChartProps, clock } from './series.ts'

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }))

const ROWS_MAX = 12

/** Numbers over time: lines, their values at the pointer, and the same as a table. The vertical axis begins at 0. */
export function Chart(props: ChartProps) {
  const { title, times, lines, format } = props
  const [pointed, setPointed] = useState<number>()
  const id = useId()
  const measured = lines[0]?.values ?? []
  const newest = measured.findLastIndex((value) => value !== null)
  const at = pointed ?? newest
  const isMeasured = (measured[at] ?? null) !== null
  const readout = lines.flatMap(({ label, look, values }) => {
    const value = values[at] ?? null
    return value === null || (isMeasured && look === 'expected') ? [] : [`${label} ${format(value)}`]
  })
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{title}</h3>
        <span className="small secondary nums">{[clock(times[at]), ...readout].join(' · ')}</span>
      </figcaption>
      <div role="img" aria-label={`${title}: ${readout.join(', ')}`}>
        <Suspense fallback={<div className="chart-plot" />}>
          <Plot {...props} onPoint={setPointed} />
        </Suspense>
      </div>
      <details className="small">
        <summary>Show as a table</summary>
        <table className="chart-table nums">
          <thead>
            <tr>
              <th scope="col">Time</th>
              {lines.map(({ label }) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times
              .map((time, i) => ({ time, i }))
              .slice(-ROWS_MAX)
              .map(({ time, i }) => (
                <tr key={time}>
                  <th scope="row">{clock(time)}</th>
                  {lines.map(({ label, values }) => (
                    <td key={label}>{shown(values[i], format)}</td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

function shown(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value)
}
