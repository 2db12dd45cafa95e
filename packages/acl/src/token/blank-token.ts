import { DEFAULT_NAMESPACE, type TokenRecord } from '../records/records.ts'

/** A token without ids, links and rights, as a base for others. */
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
  AuthMethodNamespace: '',
  AuthMethodGeneration: 0,
  LoginIdentity: '',
  ExpirationTime: undefined,
  CreateTime: '',
  Hash: '',
  CreateIndex: 0,
  ModifyIndex: 0,
  Namespace: DEFAULT_NAMESPACE,
}
