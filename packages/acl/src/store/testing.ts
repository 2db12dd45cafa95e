/** For the tests of stores: the suite of the port, and records to fill them with. Needs vitest. */
export { aKey, anId, aPolicy, aRole, aToken } from './record-builders.ts'
export { describeStore } from './store-suite.ts'
