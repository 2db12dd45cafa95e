/** Bugs that an implementation of read leases could have. The model must detect each of them. */
export const MISTAKES = [
  'a write is committed while others hold leases',
  'leases end after the commit, before its acknowledgement',
  'a process joins without ending the lease of the one that was alone',
  'a lease ends by a timer, which does not run during a pause',
  'a writer waits for less than a lease',
  'a grant that is under way survives the end of leases',
  'a late heartbeat is taken for a new one',
  'a heartbeat says that a lease is over which still holds',
  'a late commit does not see the lease of its own author',
  'a writer keeps its own lease while it commits',
  'a new primary trusts its rows of leases',
  'a new primary counts its epochs and closings from where the standby was',
  'a lease lives on while the machine sleeps',
  'leases are granted again while a writer waits for their end',
  'a fenced process shows a row that it loaded',
  'a process that gave up its lease is believed after the database forgot that',
  'a writer that waited before a crash is believed after it',
  'a lone process does not wait after a takeover that another one noted',
] as const

export type Mistake = (typeof MISTAKES)[number]
