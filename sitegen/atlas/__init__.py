"""The atlas: every sensible build judged with every model, as Parquet files to query.

``builds`` lists the hardware, ``partitions`` cuts the questions into pieces of work, ``judging``
answers a piece with the engine, and ``parquet`` turns answers into bytes: these are pure.
``folder`` keeps them, ``local_workers`` or ``ray_workers`` share the pieces out, and ``run`` puts
this together (decision 62). It must not import ``serve`` or ``cli``.
"""
