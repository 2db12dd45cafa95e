/** A trace collector: receives OTLP over HTTP in protobuf, and decodes what the tests check. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Empty for the first span of a trace. */
  readonly parentId: string
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number>>
  /** Ids of the linked spans. */
  readonly links: readonly string[]
}

interface OtlpReceiver {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** Everything received, undecoded. */
  bytes(): Buffer
  close(): Promise<void>
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const bodies: Buffer[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    bodies.push(body)
    if (request.url === '/v1/traces') spans.push(...spansOf(body))
    response.setHeader('Content-Type', 'application/x-protobuf').end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bytes: () => Buffer.concat(bodies),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Field numbers: opentelemetry/proto/trace/v1/trace.proto. */
function spansOf(body: Buffer): readonly ReceivedSpan[] {
  return messages(body, 1)
    .flatMap((resource) => messages(resource, 2))
    .flatMap((scope) => messages(scope, 2))
    .map((span) => ({
      traceId: hexOf(span, 1),
      spanId: hexOf(span, 2),
      parentId: hexOf(span, 4),
      name: messages(span, 5)[0]?.toString() ?? '',
      attributes: Object.fromEntries(messages(span, 9).map(attributeOf)),
      links: messages(span, 13).map((link) => hexOf(link, 2)),
    }))
}

function attributeOf(attribute: Buffer): readonly [string, string | number] {
  const [key, value] = [messages(attribute, 1)[0], messages(attribute, 2)[0] ?? Buffer.alloc(0)]
  const text = messages(value, 1)[0]
  const number = fieldsOf(value).find(({ field }) => field === 3)?.value
  return [String(key), text === undefined ? Number(number) : text.toString()]
}

function hexOf(message: Buffer, field: number): string {
  return messages(message, field)[0]?.toString('hex') ?? ''
}

function messages(message: Buffer, field: number): readonly Buffer[] {
  return fieldsOf(message).flatMap((found) =>
    found.field === field && Buffer.isBuffer(found.value) ? [found.value] : [],
  )
}

interface Field {
  readonly field: number
  readonly value: Buffer | number
}

/** The wire format of protobuf: a tag, followed by a varint, 8 bytes, a length and its bytes, or 4 bytes. */
function fieldsOf(message: Buffer): readonly Field[] {
  const found: Field[] = []
  let at = 0
  const varint = () => {
    let [value, scale] = [0, 1]
    for (let byte = 0x80; byte >= 0x80; scale *= 128) {
      byte = message.readUInt8(at++)
      value += (byte & 0x7f) * scale
    }
    return value
  }
  while (at < message.length) {
    const tag = varint()
    const [field, type] = [Math.floor(tag / 8), tag % 8]
    if (type === 0) found.push({ field, value: varint() })
    else {
      const length = type === 1 ? 8 : type === 5 ? 4 : varint()
      found.push({ field, value: message.subarray(at, at + length) })
      at += length
    }
  }
  return found
}
