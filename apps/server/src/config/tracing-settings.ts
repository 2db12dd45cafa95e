import { choice, custom, flag, SettingError, url } from './setting.ts'

const ENDPOINT_FORM = 'a URL such as `http://collector:4318`'
const ENDPOINT_SCHEMES = ['http', 'https']

/** The settings about OpenTelemetry, by the names of its specification, in the order of the documentation. */
export const TRACING_SETTINGS = {
  otlpEndpoint: url({
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    doc: 'The OpenTelemetry collector that receives traces, as OTLP over HTTP at `/v1/traces`. If unset, nothing is traced. The exporter also reads the other variables of the standard that begin with `OTEL_EXPORTER_OTLP_`, such as `OTEL_EXPORTER_OTLP_HEADERS`.',
    fallback: undefined,
    accepts: ENDPOINT_FORM,
    schemes: ENDPOINT_SCHEMES,
  }),
  otlpTracesEndpoint: url({
    env: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    doc: 'The complete URL for traces. It takes precedence.',
    fallback: undefined,
    accepts: ENDPOINT_FORM,
    schemes: ENDPOINT_SCHEMES,
  }),
  otelDisabled: flag({
    env: 'OTEL_SDK_DISABLED',
    doc: 'Whether tracing is off although a collector is configured.',
    fallback: false,
  }),
  tracesSampler: choice({
    env: 'OTEL_TRACES_SAMPLER',
    doc: 'Which requests are traced. With `parentbased_`, a request that continues a trace follows the decision of its caller.',
    fallback: 'parentbased_always_on',
    choices: [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
  }),
  tracesSamplerArg: custom({
    env: 'OTEL_TRACES_SAMPLER_ARG',
    doc: 'The fraction of requests that `traceidratio` traces.',
    fallback: 1,
    accepts: 'a number from 0 to 1',
    parse: (value) => {
      const part = Number(value)
      if (!(part >= 0 && part <= 1)) throw new SettingError('is not a number from 0 to 1')
      return part
    },
  }),
} as const

/** Whether spans have somewhere to go. */
export function isTraced(values: {
  readonly otelDisabled: boolean
  readonly otlpEndpoint: string | undefined
  readonly otlpTracesEndpoint: string | undefined
}): boolean {
  const { otelDisabled, otlpEndpoint, otlpTracesEndpoint } = values
  return !otelDisabled && (otlpEndpoint !== undefined || otlpTracesEndpoint !== undefined)
}
