"""A JupyterHub with nbgrader courses; docs/hub.md says what is what, and how to adapt it."""

import os

c = get_config()  # noqa: F821  (JupyterHub provides it)

# The hub's database is for root alone. SQLite would make it readable for everyone; a file that is
# there keeps its permissions, and the database's journals get the same.
DATABASE = os.path.abspath("jupyterhub.sqlite")
os.close(os.open(DATABASE, os.O_CREAT, 0o600))
os.chmod(DATABASE, 0o600)
c.JupyterHub.db_url = f"sqlite:///{DATABASE}"

# Course id -> the system user that owns the course's folder, that folder, with the course's own
# .venv in it, a free port on this machine, and who grades.
COURSES = {
    "text": {
        "owner": "text-course",
        "folder": "/home/text-course/course",
        "port": 9101,
        "graders": ["ada", "grace"],
    },
}

# How long a formgrader or a student's server may take to start. A busy machine needs more than the 30
# seconds of JupyterHub, which ends the hub itself if a formgrader is not there by then.
SECONDS_TO_START = 180

# Who may log in, and how they are known: here, the users of this machine with their passwords.
c.JupyterHub.authenticator_class = "pam"
c.Authenticator.allow_all = True

# A process per student on this machine. Limits need a spawner that keeps them: SystemdSpawner,
# DockerSpawner or KubeSpawner; the one here ignores the two numbers.
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.mem_limit = "2G"
c.Spawner.cpu_limit = 2
c.Spawner.default_url = "/lab"
c.Spawner.http_timeout = SECONDS_TO_START
c.Spawner.environment = {"OMP_NUM_THREADS": "1"}  # torch takes every core else

# One formgrader per course, shared by its graders, as a service of the hub: it runs as the owner of
# the course, in the course's folder, where it reads the course's nbgrader_config.py.
c.JupyterHub.services = [
    {
        "name": course,
        "display": False,
        "url": f"http://127.0.0.1:{about['port']}",
        "command": [f"{about['folder']}/.venv/bin/jupyterhub-singleuser"],
        "user": about["owner"],
        "cwd": about["folder"],
        "timeout": SECONDS_TO_START,
        "environment": {
            "PATH": f"{about['folder']}/.venv/bin:{os.defpath}",
            "JUPYTERHUB_DEFAULT_URL": "/formgrader",
        },
        "oauth_no_confirm": True,
        "oauth_client_allowed_scopes": [f"access:services!service={course}"],
    }
    for course, about in COURSES.items()
]
c.JupyterHub.load_groups = {
    f"graders-{course}": {"users": about["graders"]} for course, about in COURSES.items()
}
c.JupyterHub.load_roles = [
    {
        "name": f"grade-{course}",
        "scopes": [f"access:services!service={course}", f"read:services!service={course}"],
        "groups": [f"graders-{course}"],
    }
    for course in COURSES
]
