/** Types of the records in `state.bin`. The numbers are part of the public format and are never reused. */
export const RECORD = {
  register: 0,
  legacyToken: 4,
  legacyBootstrap: 11,
  intention: 12,
  index: 16,
  token: 17,
  policy: 19,
  configEntry: 22,
} as const

/** The highest type that versions up to 1.9 write. Types without a name above, such as sessions and keys, are not used. */
const KNOWN_MAX = 31

/** Whether versions up to 1.9 write this type. */
export function isKnownRecordType(type: number): boolean {
  return type <= KNOWN_MAX
}
