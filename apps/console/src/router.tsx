/** The router. Each folder of pages exports its routes, which are listed here. */
import { createRootRoute, createRouter } from '@tanstack/react-router'
import { homeRoutes } from './home/routes.tsx'
import { App } from './shell/app.tsx'
import { NotFoundPage } from './shell/not-found-page.tsx'
import { RouteFailure } from './shell/route-failure.tsx'
import { tokenRoutes } from './tokens/routes.tsx'
import { Skeleton } from './ui/states.tsx'

export const rootRoute = createRootRoute({ component: App, notFoundComponent: NotFoundPage })

const routeTree = rootRoute.addChildren([
  // One folder of pages per line.
  ...homeRoutes(rootRoute),
  ...tokenRoutes(rootRoute),
])

export const router = createRouter({
  routeTree,
  basepath: '/ui',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: RouteFailure,
  defaultPendingComponent: () => <Skeleton />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
