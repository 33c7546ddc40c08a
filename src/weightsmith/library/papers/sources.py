"""The publications of the gallery."""

from weightsmith.library.papers.entry import Paper

CHIANG_CHOLAK = Paper(
    "chiang-cholak-2022",
    "David Chiang and Peter Cholak",
    "Overcoming a Theoretical Limitation of Self-Attention",
    "ACL",
    2022,
    "10.18653/v1/2022.acl-long.527",
)
MERRILL_SATURATED = Paper(
    "merrill-et-al-2022",
    "William Merrill, Ashish Sabharwal and Noah A. Smith",
    "Saturated Transformers are Constant-Depth Threshold Circuits",
    "Transactions of the ACL",
    2022,
    "10.1162/tacl_a_00493",
)
BHATTAMISHRA = Paper(
    "bhattamishra-et-al-2020",
    "Satwik Bhattamishra, Kabir Ahuja and Navin Goyal",
    "On the Ability and Limitations of Transformers to Recognize Formal Languages",
    "EMNLP",
    2020,
    "10.18653/v1/2020.emnlp-main.576",
)
YAO = Paper(
    "yao-et-al-2021",
    "Shunyu Yao, Binghui Peng, Christos Papadimitriou and Karthik Narasimhan",
    "Self-Attention Networks Can Process Bounded Hierarchical Languages",
    "ACL",
    2021,
    "10.18653/v1/2021.acl-long.292",
)
