/** Bodies of catalog requests. The rules check names, addresses and metadata; the schemas check the types. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import {
  CATALOG_NAME_BYTES_MAX,
  CATALOG_TEXT_BYTES_MAX,
  CHECK_OUTPUT_BYTES_MAX,
  CHECKS_MAX,
  NAMESPACE_NAME_LENGTH_MAX,
  SERVICE_TAGS_MAX,
} from '../limits.ts'
import { ignored, unoffered } from '../shared/fields.ts'
import { boundedText } from '../shared/text.ts'
import { connectSchema, proxySchema } from './proxy-schemas.ts'

const name = () => boundedText(CATALOG_NAME_BYTES_MAX).optional()
const text = () => boundedText(CATALOG_TEXT_BYTES_MAX).optional()
const pairs = () =>
  z.record(boundedText(CATALOG_TEXT_BYTES_MAX), boundedText(CATALOG_TEXT_BYTES_MAX)).optional()
const number = () => z.int().optional()
const stamps = { CreateIndex: unoffered(ignored), ModifyIndex: unoffered(ignored) }
const namespace = z
  .string()
  .max(NAMESPACE_NAME_LENGTH_MAX)
  .optional()
  .meta({
    description:
      'Extended edition only: namespace of the service or check. Default: the namespace of the request.',
  })
const duration = (description: string) =>
  z
    .union([z.string(), z.number()], {
      error: 'expected a duration such as "90s" or a number of nanoseconds',
    })
    .optional()
    .meta({ description })
const words = (description: string) => z.string().optional().meta({ description })

/** The rules parse the durations. */
const checkSettingsSchema = z
  .looseObject({
    HTTP: words('URL to request.'),
    Header: z.record(z.string(), z.array(z.string())).optional().meta({ description: 'Request headers.' }),
    Method: words('Request method.'),
    Body: words('Request body.'),
    TLSSkipVerify: z.boolean().optional().meta({ description: 'Whether to accept any certificate.' }),
    TCP: words('`host:port` to connect to.'),
    Interval: duration('Time between two runs.'),
    Timeout: duration('Time limit for one run.'),
    DeregisterCriticalServiceAfter: duration(
      'Deregister the service after the check was critical for this long.',
    ),
  })
  .meta({ id: 'CheckSettings' })

const weights = z
  .strictObject({
    Passing: number().meta({ description: 'While all its checks are passing, 1 to 65535.' }),
    Warning: number().meta({
      description: 'Weight while one of its checks is in the warning state, 0 to 65535.',
    }),
  })
  .optional()
  .meta({
    gate: 'catalog.serviceWeights' satisfies GateName,
    description: 'Weights in DNS. The default is 1 and 1, also for values out of range.',
  })

const taggedAddress = z.strictObject({
  Address: text().meta({ description: 'An IP address or a name.' }),
  Port: number().meta({ description: 'A port; 0 for none.' }),
})

/** A service in a registration. */
export const serviceRegistrationSchema = z
  .strictObject({
    Kind: name().meta({
      gate: 'catalog.connect' satisfies GateName,
      description: 'Such as `connect-proxy`. Empty for a typical service. Since 1.2.',
    }),
    ID: name().meta({ description: 'ID, unique on the node regardless of case. Default: the name.' }),
    Service: name().meta({ description: 'Name of the service.' }),
    Tags: z
      .array(boundedText(CATALOG_TEXT_BYTES_MAX))
      .max(SERVICE_TAGS_MAX)
      .optional()
      .meta({ description: 'Tags, stored as sent.' }),
    Address: text().meta({
      description: 'Address of the service. If empty, the address of the node applies.',
    }),
    TaggedAddresses: z
      .record(boundedText(CATALOG_TEXT_BYTES_MAX), taggedAddress)
      .optional()
      .meta({
        gate: 'catalog.serviceTaggedAddresses' satisfies GateName,
        description: 'Further addresses by tag, such as `lan` and `wan`. Since 1.6.',
      }),
    Meta: pairs().meta({
      gate: 'catalog.serviceMeta' satisfies GateName,
      description: 'Metadata of the service, up to 64 pairs. Since 1.0.7.',
    }),
    Port: number().meta({ description: 'Port of the service; 0 for none.' }),
    SocketPath: text().meta({
      gate: 'catalog.socketPath' satisfies GateName,
      description: 'Path of a Unix socket. Since 1.10.',
    }),
    Weights: weights,
    EnableTagOverride: z
      .boolean()
      .optional()
      .meta({
        description: 'Whether other clients may change the tags of a service that an agent registered.',
      }),
    Proxy: proxySchema
      .optional()
      .meta({
        gate: 'catalog.connect' satisfies GateName,
        description: 'For a proxy, the service that it represents. Since 1.2.',
      }),
    Connect: connectSchema
      .optional()
      .meta({
        gate: 'catalog.connect' satisfies GateName,
        description: '`Native`: the service needs no proxy. Since 1.2.',
      }),
    Namespace: namespace,
    ...stamps,
  })
  .meta({ id: 'ServiceRegistration' })
export type ServiceRegistration = z.output<typeof serviceRegistrationSchema>

/** A check in a registration. */
export const checkRegistrationSchema = z
  .strictObject({
    Node: name().meta({
      description: 'Name of the node; if given, it must be the node of the registration.',
    }),
    CheckID: name().meta({ description: 'ID, unique on the node regardless of case. Default: the name.' }),
    Name: name().meta({ description: 'Name of the check.' }),
    Status: name().meta({ description: '`passing`, `warning` or `critical`. Default: critical.' }),
    Notes: text().meta({ description: 'Free text for people.' }),
    Output: boundedText(CHECK_OUTPUT_BYTES_MAX)
      .optional()
      .meta({ description: 'Latest output of the check.' }),
    ServiceID: name().meta({
      description: 'ID of the service that it checks. If empty, it checks the node.',
    }),
    ServiceName: unoffered(ignored),
    ServiceTags: unoffered(ignored),
    Type: name().meta({
      gate: 'catalog.checkType' satisfies GateName,
      description: 'Such as `http`. Default: from Definition. Since 1.6.2.',
    }),
    Interval: name().meta({
      gate: 'catalog.checkTimes' satisfies GateName,
      description: 'Time between two runs. Since 1.10.',
    }),
    Timeout: name().meta({
      gate: 'catalog.checkTimes' satisfies GateName,
      description: 'Maximum duration of a run. Since 1.10.',
    }),
    ExposedPort: number().meta({
      gate: 'catalog.checkExposedPort' satisfies GateName,
      description: 'Port of a proxy for the check. Since 1.10.2.',
    }),
    Definition: checkSettingsSchema
      .optional()
      .meta({
        gate: 'catalog.checkDefinition' satisfies GateName,
        description:
          'How the check is run by external monitors; the server does not run it. Unknown keys are ignored. Since 1.0.1.',
      }),
    Namespace: namespace,
    ...stamps,
  })
  .meta({ id: 'CheckRegistration' })
export type CheckRegistration = z.output<typeof checkRegistrationSchema>

const datacenter = name().meta({ description: 'Default: the datacenter of the server.' })

/** The body of register: a node, at most one service, and checks. */
export const registrationSchema = z
  .strictObject({
    Datacenter: datacenter,
    ID: name().meta({
      gate: 'catalog.nodeId' satisfies GateName,
      description: 'UUID of the node. An existing UUID with a new name renames the node.',
    }),
    Node: name().meta({ description: 'Name of the node.' }),
    Address: text().meta({ description: 'Address of the node. Optional with SkipNodeUpdate.' }),
    TaggedAddresses: pairs().meta({ description: 'Further addresses by tag, such as `lan` and `wan`.' }),
    NodeMeta: pairs().meta({
      gate: 'catalog.nodeId' satisfies GateName,
      description: 'Metadata of the node. Since 0.7.3.',
    }),
    Service: serviceRegistrationSchema.optional().meta({ description: 'A service on the node.' }),
    Check: checkRegistrationSchema.optional().meta({ description: 'A check of the node or of a service.' }),
    Checks: z
      .array(checkRegistrationSchema)
      .max(CHECKS_MAX)
      .optional()
      .meta({ description: 'Further checks.' }),
    SkipNodeUpdate: z
      .boolean()
      .optional()
      .meta({ description: 'Do not change an existing node. A missing node is still created.' }),
    ...stamps,
  })
  .meta({ id: 'Registration' })
export type Registration = z.output<typeof registrationSchema>

/** The body of deregister: a service with its checks, otherwise a check, otherwise the node with everything on it. */
export const deregistrationSchema = z
  .strictObject({
    Datacenter: datacenter,
    Node: name().meta({ description: 'Name of the node.' }),
    Address: unoffered(ignored),
    ServiceID: name().meta({ description: 'ID of the service to remove, together with its checks.' }),
    CheckID: name().meta({ description: 'ID of the check to remove. Ignored if ServiceID is present.' }),
    Namespace: namespace,
  })
  .meta({ id: 'Deregistration' })
export type Deregistration = z.output<typeof deregistrationSchema>
