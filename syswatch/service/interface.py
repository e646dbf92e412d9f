"""What the views' side of the house may ask of the service."""

from collections.abc import Callable

from zope.interface import Attribute, Interface

from syswatch.model.snapshot import Snapshot

Listener = Callable[[Snapshot], None]


class ISession(Interface):
    """One stretch of watching, from start to end."""

    snapshot: Snapshot = Attribute("The newest published snapshot.")

    def subscribe(listener: Listener) -> Callable[[], None]:  # noqa: N805  an interface has no self
        """Call `listener` with each new snapshot; return what ends that."""
