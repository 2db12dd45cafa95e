/** Binding rules: they decide what the tokens of an auth method are linked to. */
import * as z from 'zod'
import { BIND_NAME_BYTES_MAX, DESCRIPTION_BYTES_MAX, SELECTOR_BYTES_MAX } from '../limits.ts'
import {
  description,
  idOnCreate,
  idOnUpdate,
  indexesOnCreate,
  indexesOnUpdate,
  namespaceChosen,
  namespaceShown,
  recordId,
  required,
  stored,
} from '../shared/fields.ts'
import { boundedText } from '../shared/text.ts'

const AUTH_METHOD = 'Name of the auth method. Cannot be changed.'
const SELECTOR = 'Selects logins by their claims, such as `value.team == "ops"`. If empty, all of them.'
const BIND_TYPE = '`service`, `node` or `role`: what BindName names.'
const BIND_NAME = 'Name of the service, node or role, with claims filled in, such as `web-${value.region}`.'

/** A binding rule in answers. Key order is the order on the wire. */
export const bindingRuleSchema = z
  .strictObject({
    ID: recordId,
    Description: z.string().meta({ description }),
    AuthMethod: z.string().meta({ description: AUTH_METHOD }),
    Selector: z.string().meta({ description: SELECTOR }),
    BindType: z.string().meta({ description: BIND_TYPE }),
    BindName: z.string().meta({ description: BIND_NAME }),
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'BindingRule' })
export type BindingRule = z.infer<typeof bindingRuleSchema>

const content = {
  Description: boundedText(DESCRIPTION_BYTES_MAX).optional().meta({ description }),
  Selector: boundedText(SELECTOR_BYTES_MAX).optional().meta({ description: SELECTOR }),
  BindType: required(z.string().meta({ description: BIND_TYPE })),
  BindName: required(boundedText(BIND_NAME_BYTES_MAX).meta({ description: BIND_NAME })),
  Namespace: namespaceChosen,
}

/** The body of create. */
export const createBindingRuleSchema = z
  .strictObject({
    ID: idOnCreate,
    AuthMethod: required(z.string().meta({ description: AUTH_METHOD })),
    ...content,
    ...indexesOnCreate,
  })
  .meta({ id: 'BindingRuleCreate' })
export type CreateBindingRule = z.output<typeof createBindingRuleSchema>

/** The body of update: a record as read, with changes. An omitted Selector is cleared. */
export const updateBindingRuleSchema = z
  .strictObject({
    ID: idOnUpdate,
    AuthMethod: z.string().optional().meta({ description: 'Absent, or the same as the stored value.' }),
    ...content,
    ...indexesOnUpdate,
  })
  .meta({ id: 'BindingRuleUpdate' })
