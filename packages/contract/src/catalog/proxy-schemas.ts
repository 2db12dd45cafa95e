/** The mesh settings of a service in a registration. Every version accepts all fields and returns them as sent. */
import * as z from 'zod'
import { CATALOG_NAME_BYTES_MAX, CATALOG_TEXT_BYTES_MAX } from '../limits.ts'
import { unoffered } from '../shared/fields.ts'
import { boundedText } from '../shared/text.ts'

const name = (description: string) => boundedText(CATALOG_NAME_BYTES_MAX).optional().meta({ description })
const text = (description: string) => boundedText(CATALOG_TEXT_BYTES_MAX).optional().meta({ description })
const port = (description: string) => z.int().optional().meta({ description })
const flag = (description: string) => z.boolean().optional().meta({ description })
const settings = z
  .record(z.string(), z.unknown())
  .optional()
  .meta({ description: 'Settings for the proxy, stored as sent.' })

const meshGateway = z
  .strictObject({ Mode: name('`none`, `local` or `remote`.') })
  .optional()
  .meta({ description: 'Whether connections pass through a gateway. Since 1.6.' })

const upstreamSchema = z
  .strictObject({
    DestinationType: name('`service` or `prepared_query`. Default: `service`.'),
    DestinationNamespace: name('Namespace of the destination.'),
    DestinationName: name('Name of the destination.'),
    Datacenter: name('Datacenter of the destination. Default: the datacenter of the proxy.'),
    LocalBindAddress: text('Address on which the proxy listens. Default: this machine.'),
    LocalBindPort: port('The port that the proxy listens on.'),
    LocalBindSocketPath: text('A Unix socket instead. Since 1.10.'),
    LocalBindSocketMode: name('Mode of the socket. Since 1.10.'),
    Config: settings,
    MeshGateway: meshGateway,
  })
  .meta({ id: 'Upstream' })

const exposedPathSchema = z
  .strictObject({
    ListenerPort: port('The port that the proxy listens on.'),
    Path: text('The path, such as `/metrics`.'),
    LocalPathPort: port('The port of the service.'),
    Protocol: name('`http` or `http2`. Default: `http`.'),
    ParsedFromCheck: flag('Whether the path belongs to a check.'),
  })
  .meta({ id: 'ExposedPath' })

/** Which service a proxy represents, and how. */
export const proxySchema = z
  .strictObject({
    DestinationServiceName: name('Name of the service that the proxy represents.'),
    DestinationServiceID: name('Id of that service, if the proxy represents one instance.'),
    LocalServiceAddress: text('Address of that instance.'),
    LocalServicePort: port('Port of that instance.'),
    LocalServiceSocketPath: text('A Unix socket of that instance. Since 1.10.'),
    Mode: name('`direct` or `transparent`. Since 1.10.'),
    TransparentProxy: z
      .strictObject({
        OutboundListenerPort: port('The port that outbound connections are redirected to.'),
        DialedDirectly: flag('Whether transparent proxies may connect to this one.'),
      })
      .optional()
      .meta({ description: 'For the mode `transparent`. Since 1.10.' }),
    Config: settings,
    Upstreams: z
      .array(upstreamSchema)
      .optional()
      .meta({ description: 'The destinations of the service. Since 1.3.' }),
    MeshGateway: meshGateway,
    Expose: z
      .strictObject({
        Checks: flag('Whether all HTTP checks of the service are exposed.'),
        Paths: z.array(exposedPathSchema).optional().meta({ description: 'Further paths.' }),
      })
      .optional()
      .meta({ description: 'Paths that can be reached from outside the mesh. Since 1.6.2.' }),
  })
  .meta({ id: 'Proxy' })

const NO_SIDECAR = 'is not offered: register the proxy as a service of its own, of the kind `connect-proxy`'

/** Whether a service connects without a proxy. */
export const connectSchema = z
  .strictObject({
    Native: flag('The service needs no proxy.'),
    SidecarService: unoffered(
      z
        .unknown()
        .refine((value) => value === undefined, { message: NO_SIDECAR, params: { code: 'field_invalid' } }),
    ),
  })
  .meta({ id: 'Connect' })
