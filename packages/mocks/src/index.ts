export type { AclErrorCode, EndpointName } from '@latchkey/contract'
export type { Failure } from './faults.ts'
export type { Credential } from './identity-provider.ts'
export type { Duration } from './mock-clock.ts'
export { createMockService, type MockCall, type MockService, type MockSnapshot } from './mock-service.ts'
export {
  type Latency,
  MANAGEMENT_TOKEN_DEFAULT,
  type MockServiceOptions,
  type OtherDatacenter,
} from './options.ts'
export type { Seed, SeedAuthMethod, SeedBindingRule, SeedPolicy, SeedRole, SeedToken } from './state/seed.ts'
