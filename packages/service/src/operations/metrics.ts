import { type Answer, type Call, json } from '../handler.ts'

export async function metricsHandler(
  call: Call<'operations.metrics'>,
): Promise<Answer<'operations.metrics'>> {
  const { samples, prometheus } = await call.service.cluster.metrics()
  if (call.query.format !== 'prometheus') return json(samples)
  const bytes = new TextEncoder().encode(prometheus)
  return { body: { kind: 'bytes', bytes, contentType: 'text/plain; version=0.0.4; charset=utf-8' } }
}
