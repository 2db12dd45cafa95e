/** Records of intentions: which services may connect to which. Spec 9.5; decisions: intentions. */
import type { IntentionPermission } from '@latchkey/contract'

/** Who connects to whom. `*` as a name means every service, as a namespace every namespace. */
export interface IntentionEnds {
  readonly SourceNS: string
  readonly SourceName: string
  readonly DestinationNS: string
  readonly DestinationName: string
}

export type IntentionDestination = Pick<IntentionEnds, 'DestinationNS' | 'DestinationName'>

export type IntentionAction = 'allow' | 'deny'

export interface IntentionRecord extends IntentionEnds {
  readonly SourceType: 'consul'
  /** `undefined` if Permissions decide. */
  readonly Action: IntentionAction | undefined
  readonly Permissions: readonly IntentionPermission[]
  readonly Description: string
  /** The ID in the ID-based API, in lower case; `undefined` after an edit through config entries. */
  readonly LegacyID: string | undefined
  readonly LegacyMeta: Readonly<Record<string, string>>
  /** RFC 3339; `undefined` like LegacyID. */
  readonly LegacyCreateTime: string | undefined
  readonly LegacyUpdateTime: string | undefined
  /** Empty without LegacyID. */
  readonly Hash: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/**
 * The data shared by all intentions of a destination. It exists while the destination has intentions, and is written
 * with every change of one.
 */
export interface IntentionDestinationRecord extends IntentionDestination {
  readonly Meta: Readonly<Record<string, string>>
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** The primary key of an intention. Names may contain any characters, and match regardless of case. */
export function intentionKey({
  DestinationNS,
  DestinationName,
  SourceNS,
  SourceName,
}: IntentionEnds): string {
  return JSON.stringify(
    [DestinationNS, DestinationName, SourceNS, SourceName].map((part) => part.toLowerCase()),
  )
}

export function destinationKey({ DestinationNS, DestinationName }: IntentionDestination): string {
  return JSON.stringify([DestinationNS.toLowerCase(), DestinationName.toLowerCase()])
}
