import { DEFAULT_NAMESPACE, type TokenRecord } from '../records/records.ts'

/** A token with nothing: no ids, no links, no rights. What is made from it adds what it has. */
export const BLANK_TOKEN: TokenRecord = {
  AccessorID: '',
  SecretID: '',
  Description: '',
  Policies: [],
  Roles: [],
  ServiceIdentities: [],
  NodeIdentities: [],
  Rules: '',
  Type: '',
  Local: false,
  AuthMethod: '',
  ExpirationTime: undefined,
  CreateTime: '',
  Hash: '',
  CreateIndex: 0,
  ModifyIndex: 0,
  Namespace: DEFAULT_NAMESPACE,
}
