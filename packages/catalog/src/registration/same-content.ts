import { isSame } from '@latchkey/acl'

/** Whether two records have the same content, apart from their indexes. */
export function isSameContent(record: object, other: object | undefined): boolean {
  return other !== undefined && isSame({ ...record, ...INDEXES }, { ...other, ...INDEXES })
}

const INDEXES = { CreateIndex: 0, ModifyIndex: 0 }
