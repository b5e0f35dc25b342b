# An image for a JupyterHub or Binder, for students: the wheel and the notebooks, and nothing of the
# solutions.   docker build -t coursekit .   docker run -p 8888:8888 coursekit
FROM python:3.12-slim AS wheel
WORKDIR /course
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
ARG NB_USER=jovyan
ARG NB_UID=1000
RUN useradd --create-home --uid "$NB_UID" "$NB_USER"
COPY constraints.txt /tmp/constraints.txt
COPY --from=wheel /wheels /wheels
# hadolint ignore=DL3013
RUN pip install --no-cache-dir -c /tmp/constraints.txt jupyterlab jupyterhub nbgrader /wheels/*.whl
# where students fetch and submit: docs/hub.md
COPY docs/hub/nbgrader_config.py /etc/jupyter/nbgrader_config.py
COPY --chown=$NB_UID notebooks /home/$NB_USER/notebooks
USER $NB_USER
WORKDIR /home/$NB_USER
EXPOSE 8888
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--no-browser", "--LabApp.default_url=/lab/tree/notebooks"]
