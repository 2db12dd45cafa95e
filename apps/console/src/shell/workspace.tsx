import { RouterProvider } from '@tanstack/react-router'
import { router } from '../router.tsx'

/** All pages for a signed-in person. */
export default function Workspace() {
  return <RouterProvider router={router} />
}
